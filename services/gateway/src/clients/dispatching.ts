import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenStreams } from '@botyard/shared/http/open-streams';
import { instanceHeader } from '@botyard/shared/system/process-contract';
import type { Dispatcher } from 'undici';
import { type AnswerHead, beginAnswer } from './answer.ts';
import type { PooledConnection } from './connection-pool.ts';
import type { Connections } from './connections.ts';
import { type DeadlineOptions, Deadlines } from './deadlines.ts';
import { isEventStream } from './event-stream.ts';

/** A request whose body, if it has one, is here as a whole. */
export interface WholeRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** Whose it is, by whatever name. */
  caller: string;
}

interface Options extends DeadlineOptions {
  streams: OpenStreams;
  connections: Connections;
}

/** Sends whole requests on with undici, and their answers back as they flow. */
export function createDispatching(options: Options) {
  const send = (request: WholeRequest, res: ServerResponse) => new Exchange(options, request, res).over;
  return (request: WholeRequest, res: ServerResponse): Promise<void> =>
    send(request, res).catch((error: unknown) => {
      if (res.headersSent || !isWorthRepeating(request, error)) throw error;
      return send(request, res);
    });
}

/** @throws when the client leaves before its body is over. */
export async function readWhole(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks);
}

/** The process died, or closed the connection just as we used it again; reading twice does no harm. */
function isWorthRepeating({ method, body }: WholeRequest, error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  const isBroken = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  return (method === 'GET' || method === 'HEAD') && body === null && isBroken;
}

/** One request over one connection, and its answer to the client. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: Options;
  readonly #request: WholeRequest;
  readonly #res: ServerResponse;
  readonly #deadlines: Deadlines;
  readonly #outcome = Promise.withResolvers<void>();
  #connection: PooledConnection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** The beginning of the answer, until something of its body is here, too. */
  #head: AnswerHead | undefined;
  /** Set while the answer is a stream of events. */
  #closeStream: (() => void) | undefined;

  constructor(options: Options, request: WholeRequest, res: ServerResponse) {
    this.#options = options;
    this.#request = request;
    this.#res = res;
    this.#deadlines = new Deadlines(options, (error) => this.#giveUp(error));
    const connection = options.connections.pool.acquire();
    if (connection instanceof Promise) void connection.then((late) => this.#begin(late));
    else this.#begin(connection);
  }

  /** @throws HttpError at a missed deadline; whatever broke the connection. */
  get over(): Promise<void> {
    return this.#outcome.promise;
  }

  #begin(connection: PooledConnection): void {
    const { method, path, headers, body } = this.#request;
    if (this.#deadlines.missed || this.#res.destroyed) {
      this.#options.connections.pool.release(connection);
      this.#fail(this.#deadlines.missed ?? new Error('the client has left'));
      return;
    }
    this.#connection = connection;
    this.#res.on('close', this.#onClose);
    connection.client.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body }, this);
  }

  /** The client has left, unless the exchange is over. */
  readonly #onClose = (): void => {
    if (!this.#connection) return;
    // The only way in which most streams end.
    if (this.#closeStream) this.#outcome.resolve();
    this.#giveUp(new Error('the client has left'));
  };

  #giveUp(error: Error): void {
    this.#controller?.abort(error);
    this.#fail(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection: it must not reach the service any more.
    if (this.#deadlines.missed) {
      controller.abort(this.#deadlines.missed);
      return;
    }
    this.#controller = controller;
    this.#deadlines.sent();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#deadlines.answered();
    const instanceId = headers[instanceHeader];
    const socket = this.#connection?.socket;
    if (socket && typeof instanceId === 'string') this.#options.connections.noteAnswer(socket, instanceId);
    this.#head = { status, headers, requestId: this.#request.headers['x-request-id'] };
    if (isEventStream(headers['content-type'])) this.#beginStream();
  }

  /** It has no deadline, and its connection is no longer one of those that requests wait for. */
  #beginStream(): void {
    const { streams, connections } = this.#options;
    try {
      this.#closeStream = streams.open(this.#request.caller);
    } catch (error) {
      this.#giveUp(error as Error);
      return;
    }
    this.#deadlines.end();
    if (this.#connection) connections.pool.giveAway(this.#connection);
    this.#sendHead();
    this.#res.flushHeaders();
  }

  #sendHead(): void {
    if (this.#head) beginAnswer(this.#res, this.#head);
    this.#head = undefined;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sendHead();
    if (this.#res.write(chunk)) return;
    controller.pause();
    this.#res.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#free();
    this.#sendHead();
    this.#res.end();
    this.#outcome.resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#free();
    this.#fail(error);
  }

  #fail(error: Error): void {
    this.#deadlines.end();
    this.#outcome.reject(error);
  }

  #free(): void {
    this.#deadlines.end();
    this.#closeStream?.();
    if (this.#connection) this.#options.connections.pool.release(this.#connection);
    this.#connection = undefined;
  }
}
