import { uuidOf } from '@botyard/shared/auth/uuid';
import { forbidden } from '@botyard/shared/http/errors';
import type { Request, Response } from 'express';
import type { Deps } from '../deps.ts';
import { connector, type WebchatEndpoint } from '../domain/connection.ts';

/** The integration that the path names, if there is one. */
export async function findEndpoint(
  { endpoints }: Pick<Deps, 'endpoints'>,
  { params }: Request,
): Promise<WebchatEndpoint | null> {
  const botId = uuidOf(String(params.botId));
  return botId === undefined ? null : await endpoints.find(connector, botId);
}

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
  if (!isOwn(origin, ownOrigin) && !allowedOrigins.has(origin))
    throw forbidden('this site may not show the chat: add its origin to allowedOrigins');
  res.setHeader('Access-Control-Allow-Origin', origin);
  // The time after which a window may ask again.
  res.setHeader('Access-Control-Expose-Headers', 'Retry-After');
}

const loopbackNames = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** The hosted page. On a developer's machine it has several names. */
function isOwn(origin: string, ownOrigin: string): boolean {
  if (origin === ownOrigin) return true;
  const [asked, own] = [URL.parse(origin), URL.parse(ownOrigin)];
  if (!asked || !own || asked.origin !== origin) return false;
  return [asked, own].every(({ hostname }) => loopbackNames.test(hostname)) && asked.port === own.port;
}
