import { randomInt } from 'node:crypto';
import type { EventStream } from '@botyard/contracts/http/event-stream';
import type { Request, Response } from 'express';
import type { Admitted } from '../auth/policed.ts';

/** Tells the gateway on whose share the stream is. The gateway keeps it to itself. */
export const tenantHeader = 'x-botyard-tenant';
const eventStreamType = 'text/event-stream';
/** Often enough that no proxy considers the connection idle. */
const heartbeatMs = 15_000;
/**
 * A stream ends after 10 to 15 minutes: the client reconnects, and its session is checked again. The random part
 * spreads the reconnections of clients that connected together.
 */
const lastsMs = { least: 10 * 60_000, most: 15 * 60_000 };
/** Limit on the bytes buffered for a client that doesn't read. */
const maxWaitingBytes = 1024 ** 2;

/** The tenant of a route without one is the caller's active one. */
const tenantOf = (admitted?: Partial<Admitted>): string | null | undefined =>
  admitted?.tenantId ?? admitted?.caller?.activeTenantId;

/** Sends server-sent events until the client leaves, the stream ends or its time limit is reached. */
export function sendEvents(req: Request, res: Response, status: number, stream: EventStream): void {
  res.status(status).set({
    'content-type': eventStreamType,
    'cache-control': 'no-store, no-transform',
    // Keeps nginx from buffering responses.
    'x-accel-buffering': 'no',
  });
  const tenantId = tenantOf(res.locals.admitted);
  if (tenantId) res.setHeader(tenantHeader, tenantId);
  if (req.method === 'HEAD') {
    stream.open({ send: () => undefined, end: () => undefined })();
    res.end();
    return;
  }
  res.flushHeaders();
  const send = (text: string | Uint8Array) => {
    if (res.writableEnded || res.destroyed) return;
    if (res.writableLength > maxWaitingBytes) res.destroy();
    else res.write(text);
  };
  const end = () => void res.end();
  send(': open\n\n');
  const heartbeat = setInterval(() => send(': still here\n\n'), heartbeatMs).unref();
  const life = setTimeout(end, randomInt(lastsMs.least, lastsMs.most)).unref();
  const close = stream.open({ send, end });
  res.once('close', () => {
    clearInterval(heartbeat);
    clearTimeout(life);
    close();
  });
  // The client left before a listener was attached.
  if (res.destroyed) res.emit('close');
}
