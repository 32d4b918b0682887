import type { IncomingMessage } from 'node:http';
import { badRequest, HttpError } from '@botyard/shared/http/errors';
import { parseTarget } from '../domain/request-target.ts';

/** More than a client has a reason for; the server reads some more than this, so that none vanishes unseen. */
export const maxHeaders = 100;

/**
 * Reads the path that a request asks for, once, before anything else looks at it; every later step decides on it.
 * @throws HttpError 400, 431.
 */
export function readTarget(req: IncomingMessage): string {
  if (req.rawHeaders.length > maxHeaders * 2) throw new HttpError(431, 'the request has too many headers');
  const target = parseTarget(req.url ?? '');
  if (!target) throw badRequest('the address of the request is not valid');
  return target.path;
}
