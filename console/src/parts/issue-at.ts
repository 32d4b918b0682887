import { ApiError } from '@botyard/client/api-error';

/** The API's complaints about a place in the sent body, and beneath it. */
export function issueAt(error: Error | null, ...place: readonly (string | number)[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const wanted = place.join('.');
  const found = error.issues.filter(({ path }) => path === wanted || String(path).startsWith(`${wanted}.`));
  return found.length > 0 ? found.map(({ message }) => message).join('; ') : undefined;
}
