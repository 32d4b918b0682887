import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { OpenStreams } from '@botyard/shared/http/open-streams';
import { instanceHeader } from '@botyard/shared/system/process-contract';
import type { Dispatcher } from 'undici';
import { beginAnswer, isEventStream, tenantOf } from './answer.ts';
import type { AnswerTarget } from './collected-answer.ts';
import type { ConnectionPool, PooledConnection } from './connection-pool.ts';
import type { Connections } from './connections.ts';
import { Deadlines, type DeadlineTimes } from './deadlines.ts';

interface PassedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Read completely, or a stream that is read while it is sent. */
  body: Buffer | Readable | null;
  /** The caller's name, for any kind of caller. */
  caller: string;
  /** It is for an adapter of a platform, which may let pages of other origins read its answer. */
  isForPages: boolean;
}

type AnswerHeaders = Record<string, string | string[] | undefined>;

interface Options {
  streams: OpenStreams;
  /** Streams of the platforms' own pages, which whole offices read from one address. */
  pageStreams: OpenStreams;
  connections: Connections;
  times: DeadlineTimes;
  isExpectedBack: () => boolean;
}

/** Forwards requests with undici, and streams their answers back. */
export function createDispatching(options: Options) {
  return async (request: PassedRequest, res: AnswerTarget): Promise<void> => {
    try {
      await new Exchange(options, request, res).over;
    } catch (error) {
      if (res.headersSent || !isWorthRepeating(request, error)) throw error;
      await new Exchange(options, request, res).over;
    }
  };
}

/** @throws when the client disconnects before its body ends. */
export async function readWhole(req: IncomingMessage): Promise<Buffer | null> {
  if (Number(req.headers['content-length'] ?? 0) === 0) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks);
}

/** The body as it arrives. Ending it early leaves the client's connection open for the answer. */
export const readStreamed = (req: IncomingMessage): Readable =>
  Readable.from(req.iterator({ destroyOnReturn: false }), { objectMode: false });

/** The process died, or closed the connection just when it was reused. Repeating a read is harmless. */
function isWorthRepeating({ method, body }: PassedRequest, error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  const isBroken = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  return (method === 'GET' || method === 'HEAD') && body === null && isBroken;
}

/** One request over one connection, and its answer to the client. */
class Exchange implements Dispatcher.DispatchHandler {
  /** @throws HttpError at a missed deadline, and otherwise the error that broke the connection. */
  readonly over: Promise<void>;
  readonly #connections: Connections;
  readonly #pool: ConnectionPool;
  readonly #res: AnswerTarget;
  readonly #deadlines: Deadlines;
  readonly #settle: { resolve: () => void; reject: (error: Error) => void };
  #connection: PooledConnection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** Why the request was abandoned. From then on it must not reach the service. */
  #abandoned: Error | undefined;
  /** Status and headers of the answer, until its first byte arrives or it ends. */
  #head: { status: number; headers: AnswerHeaders } | undefined;
  readonly #streams: OpenStreams;
  readonly #caller: string;
  readonly #isForPages: boolean;
  /** Set while the answer is an event stream. */
  #closeStream: (() => void) | undefined;

  constructor(options: Options, request: PassedRequest, res: AnswerTarget) {
    const { promise, ...settle } = Promise.withResolvers<void>();
    this.over = promise;
    this.#settle = settle;
    this.#connections = options.connections;
    this.#pool =
      request.body instanceof Readable ? options.connections.streamedPool : options.connections.pool;
    this.#res = res;
    this.#isForPages = request.isForPages;
    this.#streams = request.isForPages ? options.pageStreams : options.streams;
    this.#caller = request.caller;
    this.#deadlines = new Deadlines({ ...options, onMiss: (error) => this.#giveUp(error) });
    void this.#pool
      .acquire(request.caller)
      .then((connection) => this.#begin(connection, request))
      .catch((error: Error) => this.#fail(error));
  }

  #begin(connection: PooledConnection, { method, path, headers, body }: PassedRequest): void {
    if (this.#abandoned || this.#res.destroyed) {
      this.#pool.release(connection);
      this.#fail(this.#abandoned ?? new Error('the client has left'));
      return;
    }
    this.#connection = connection;
    this.#res.once('close', this.#onClientGone);
    connection.client.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body }, this);
  }

  readonly #onClientGone = (): void => {
    // Most streams can only end like this.
    if (this.#closeStream) this.#settle.resolve();
    this.#giveUp(new Error('the client has left'));
  };

  #giveUp(error: Error): void {
    this.#abandoned = error;
    this.#controller?.abort(error);
    this.#fail(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline was missed, or the client has left, while the request waited for a connection.
    if (this.#abandoned) {
      controller.abort(this.#abandoned);
      return;
    }
    this.#controller = controller;
    this.#deadlines.connected();
  }

  onRequestSent(): void {
    this.#deadlines.sent();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return;
    this.#deadlines.answered();
    const instanceId = headers[instanceHeader];
    const socket = this.#connection?.socket;
    if (socket && typeof instanceId === 'string') this.#connections.noteAnswer(socket, instanceId);
    if (isEventStream(headers['content-type']) && !this.#beginStream(tenantOf(headers))) return;
    this.#head = { status, headers };
    if (this.#closeStream) this.#begun().flushHeaders();
    this.#res.on('drain', () => controller.resume());
  }

  /** The client's response with the answer's head. An answer that breaks off before its body leaves nothing there. */
  #begun(): AnswerTarget {
    if (this.#head) {
      const { status, headers } = this.#head;
      beginAnswer(this.#res, status, headers, { isForPages: this.#isForPages });
    }
    this.#head = undefined;
    return this.#res;
  }

  /**
   * A stream has no deadline, and its connection doesn't count for the limit of requests. Returns `false` when it is
   * refused.
   */
  #beginStream(tenantId: string | undefined): boolean {
    try {
      this.#closeStream = this.#streams.open(this.#caller, tenantId);
    } catch (error) {
      this.#giveUp(error as Error);
      return false;
    }
    this.#deadlines.end();
    if (this.#connection) this.#pool.giveAway(this.#connection);
    return true;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // The gateway ends its streams when it is about to stop.
    if (this.#res.writableEnded) return;
    if (!this.#begun().write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#free();
    this.#begun().end();
    this.#settle.resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#free();
    this.#fail(error);
  }

  #fail(error: Error): void {
    this.#deadlines.end();
    this.#settle.reject(error);
  }

  #free(): void {
    this.#deadlines.end();
    this.#closeStream?.();
    this.#res.off('close', this.#onClientGone);
    if (this.#connection) this.#pool.release(this.#connection);
    this.#connection = undefined;
  }
}
