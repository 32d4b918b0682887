import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerError, createErrorHandler, refuseUnknownPath } from '@botyard/shared/http/error-handler';
import { badRequest, HttpError } from '@botyard/shared/http/errors';
import { createRequestContext, type Routed } from '@botyard/shared/http/request-context';
import { createHttpServer, listenOn } from '@botyard/shared/http/server';
import { currentContext } from '@botyard/shared/tracing/context';
import express, { type Request, type Response } from 'express';
import type { Deps } from '../deps.ts';
import { parseTarget } from '../domain/request-target.ts';
import { ownPages } from '../routes.ts';
import { answerLostReader, isLostReader } from './console.ts';
import { createForward } from './forward.ts';

/** The public server. Upgrades are refused, because they would bypass every check. */
export function createPublicServer(deps: Deps): Server {
  const begin = createRequestContext(deps, { isTrusted: false });
  const answer = createAnswer(deps);
  const answering = new WeakMap<Duplex, ServerResponse>();
  const server = createHttpServer((req, res) => {
    answering.set(req.socket, res);
    begin(req, res, () => {
      setCommonHeaders(res);
      answer(req, res).catch((error: unknown) => answerError(deps.log, error, res));
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

/**
 * Reads the path, and answers the gateway's own routes; other requests are authenticated and forwarded. Express serves
 * only what isn't forwarded.
 */
function createAnswer(deps: Deps): (req: Routed, res: ServerResponse) => Promise<void> {
  const answerOwn = createOwnPages(deps);
  const forward = createForward(deps);
  return async (req, res) => {
    const path = readTarget(req);
    if (isOwnPage(path)) answerOwn(req, res, path);
    else if (!deps.findDestination(path) && isLostReader(req, path)) await answerLostReader(res, deps);
    else await forward(req, res, path);
  };
}

/** Resolves with the port that it listens on. @throws an error with a readable text when another program uses it. */
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

/** The answer to invalid HTTP, written directly because there is no response object for it. */
function refusal(code: string | undefined): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const { body: fields } = new HttpError(status, `${STATUS_CODES[status]}`.toLowerCase());
  const body = JSON.stringify(fields);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** More than a client needs. The server reads a few more than this, so that none is silently dropped. */
const maxHeaders = 100;

/**
 * Reads the requested path once, before anything else. Every later step decides by it.
 * @throws HttpError 400, 431.
 */
function readTarget(req: IncomingMessage): string {
  if (req.rawHeaders.length > maxHeaders * 2) throw new HttpError(431, 'the request has too many headers');
  const target = parseTarget(req.url ?? '');
  if (!target) throw badRequest('the address of the request is not valid');
  return target.path;
}

const isOwnPage = (path: string): boolean => ownPages.some(({ isAt }) => isAt(path));

/** Answers what the gateway has to say itself; handlers find the path in `res.locals.path`. */
function createOwnPages(deps: Deps): (req: Routed, res: ServerResponse, path: string) => void {
  const app = express().disable('x-powered-by').disable('etag');
  for (const { answer } of ownPages) app.use(answer(deps));
  app.use(refuseUnknownPath, createErrorHandler(deps.log));
  return (req, res, path) => {
    Object.assign(res, { locals: { path } });
    app(req as Request, res as Response);
  };
}
