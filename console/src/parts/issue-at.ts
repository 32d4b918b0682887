import { ApiError } from '@botyard/client/api-error';

/** What an answer of the API says is wrong at a place of what was sent, and beneath it. */
export function issueAt(error: Error | null, ...place: readonly (string | number)[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const wanted = place.join('.');
  const found = error.issues.filter(({ path }) => path === wanted || String(path).startsWith(`${wanted}.`));
  return found.length > 0 ? found.map(({ message }) => message).join('; ') : undefined;
}
