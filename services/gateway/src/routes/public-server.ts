import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { createErrorHandler } from '@botyard/shared/http/error-handler';
import { badRequest } from '@botyard/shared/http/errors';
import { createRequestContext } from '@botyard/shared/http/request-context';
import { createHttpServer, listenOn } from '@botyard/shared/http/server';
import { currentContext } from '@botyard/shared/tracing/context';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Deps } from '../deps.ts';
import { maxHeaders } from './read-target.ts';

type Step = (deps: Deps) => RequestHandler;

/** The server that the world talks to. Upgrades are refused: they would bypass every step. */
export function createPublicServer(deps: Deps, steps: readonly Step[]): Server {
  const answerError = createErrorHandler(deps.log);
  const begin = createRequestContext(deps, { isTrusted: false });
  const app = express().disable('x-powered-by').disable('etag');
  app.set('trust proxy', [...deps.trustedProxies]);
  for (const step of steps) app.use(step(deps));
  app.use(answerError);

  const answering = new WeakMap<Duplex, ServerResponse>();
  const server = createHttpServer((req, res) => {
    answering.set(req.socket, res);
    begin(req as Request, res as Response, () => {
      setCommonHeaders(res);
      // Express itself gives up on targets that it can't parse, before the first step.
      app(req as Request, res as Response, (error?: unknown) =>
        answerError(
          error ?? badRequest('the address of the request is not valid'),
          req as Request,
          res as Response,
          () => {},
        ),
      );
    });
  });
  server.maxHeadersCount = maxHeaders + 28;
  server.on('upgrade', (_req, socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const res = answering.get(socket);
    const isAnswered = res?.headersSent && !res.writableFinished;
    if (!socket.writable || isAnswered || error.code === 'ECONNRESET') socket.destroy();
    else socket.end(refusal(error.code));
  });
  return server;
}

/** Resolves with the port that was bound. @throws an error for people when another program has it. */
export async function openPublicServer(
  server: Server,
  { HOST, PORT }: { HOST: string; PORT: number },
): Promise<number> {
  try {
    return await listenOn(server, HOST, PORT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`PORT: ${HOST}:${PORT} is taken by another program`, { cause: error });
  }
}

function setCommonHeaders(res: ServerResponse): void {
  const requestId = currentContext()?.requestId;
  if (requestId) res.setHeader('X-Request-Id', requestId);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
}

/** An answer to what was no HTTP request, written by hand because there is no response object for it. */
function refusal(code: string | undefined): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({ error: `${STATUS_CODES[status]}`.toLowerCase() });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
