import type { Request, Response } from 'express';
import { readCookie, writeCookie } from './cookies.ts';

/** A cookie that scripts can't read and other sites' forms and frames don't send along. */
export interface NewCookie {
  name: string;
  value: string;
  maxAgeSeconds: number;
  /** False only where the browser talks plain http to its own machine. */
  isSecure: boolean;
}

/** What a few handlers need of HTTP beyond data: a browser's cookie, and sending the browser elsewhere. */
export interface Exchange {
  /** `undefined` without one, and with two of the name: then it can't be told which one is ours. */
  cookie(name: string): string | undefined;
  /** Of `Last-Event-ID`: where a client of server-sent events was. */
  lastEventId?: string | undefined;
  setCookie(cookie: NewCookie): void;
  /** For routes of the status 303. The address has to be one of ours. */
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
