import { ApiError } from '@botyard/client/api-error';

/** Reads are asked for again while a service is away; what was refused stays refused. */
export function isWorthAnotherTry(tries: number, error: Error): boolean {
  const mayPass = !(error instanceof ApiError) || error.status >= 500;
  return mayPass && tries < 1;
}
