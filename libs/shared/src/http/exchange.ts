import type { Request, Response } from 'express';
import { type NewCookie, readCookie, writeCookie } from './cookies.ts';

/** HTTP features other than data that a few handlers need: cookies and redirects. */
export interface Exchange {
  /** `undefined` if the cookie is missing, or occurs twice: then ours can't be identified. */
  cookie(name: string): string | undefined;
  /** Value of `Last-Event-ID`: the position of a client of server-sent events. */
  lastEventId?: string | undefined;
  setCookie(cookie: NewCookie): void;
  /** For routes with status 303. The address has to belong to this installation. */
  redirectTo(address: string): void;
}

export function exchangeOf(req: Request, res: Response): Exchange {
  return {
    cookie: (name) => readCookie(req.headers.cookie, name),
    lastEventId: req.get('last-event-id'),
    setCookie: (cookie) => {
      res.append('Set-Cookie', writeCookie(cookie));
    },
    redirectTo: (address) => {
      res.setHeader('Location', address);
    },
  };
}
