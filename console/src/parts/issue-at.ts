import { ApiError } from '@botyard/client/api-error';

/** Returns the API's error messages for a path in the request body and for the paths below it. */
export function issueAt(error: Error | null, ...place: readonly (string | number)[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const wanted = place.join('.');
  const issues = error.issues.filter(({ path }) => path === wanted || String(path).startsWith(`${wanted}.`));
  return issues.length > 0 ? issues.map(({ message }) => message).join('; ') : undefined;
}
