import { forbidden } from '@botyard/shared/http/errors';
import type { Request, Response } from 'express';
import type { WebchatEndpoint } from '../domain/connection.ts';

/**
 * Lets a page of an allowed origin read the answer, and refuses every other one, whose requests have no effect then. A
 * browser sends `Origin` with each of these requests. @throws HttpError 403.
 */
export function allowOrigin(
  req: Request,
  res: Response,
  { allowedOrigins }: Pick<WebchatEndpoint, 'allowedOrigins'>,
  ownOrigin: string,
): void {
  const origin = req.headers.origin ?? '';
  res.vary('Origin');
  if (origin !== ownOrigin && !allowedOrigins.has(origin))
    throw forbidden('this site may not show the chat: add its origin to allowedOrigins');
  res.setHeader('Access-Control-Allow-Origin', origin);
  // The time after which a window may ask again.
  res.setHeader('Access-Control-Expose-Headers', 'Retry-After');
}
