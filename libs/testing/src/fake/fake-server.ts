/**
 * Common parts of the fake platforms: a small HTTP server on loopback, a log of calls, scripted faults. A fake either
 * listens on its own port (`listen`) or shares one with others behind prefixes (`handle` with `mountUnder`), as in
 * the sandbox.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readParams } from '../messenger/read-params.ts';
import { RecordLog } from './record-log.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export type Call = {
  /** The platform's name for the call, such as `sendMessage`. Scripted faults refer to it. */
  operation: string;
  method: string;
  /** Without the query, and without the prefix that the fake is mounted under. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body's fields, from JSON, urlencoded or multipart; repeated fields are arrays. */
  params: Record<string, unknown>;
  receivedAt: number;
  /** Set once the answer has been sent. */
  status?: number;
};

export type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

/** Selects the calls that a fault applies to; all others are answered normally and don't use it up. */
export type CallFilter = (call: Call) => boolean;

/**
 * A fault of the next calls of an operation: a given answer, a connection cut before or after the call has had its
 * effect (`after` is the lost answer that makes callers send twice), or no answer at all, before or after the effect.
 */
export type Fault = { times?: number; on?: CallFilter } & (
  | Answer
  | { cut: 'before' | 'after' }
  | { hang: true | 'after' }
);

const maxBodyBytes = 30 * 1024 * 1024;

export async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('body too large for a fake platform');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function sendAnswer(res: ServerResponse, answer: Answer): void {
  if (res.destroyed || res.writableEnded) return;
  const { payload, type } = payloadOf(answer.body);
  res.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  res.end(payload);
}

function payloadOf(body: unknown): { payload: string | Buffer; type: string } {
  if (Buffer.isBuffer(body)) return { payload: body, type: 'application/octet-stream' };
  if (typeof body === 'string') return { payload: body, type: 'text/plain; charset=utf-8' };
  const payload = body === undefined ? '' : JSON.stringify(body);
  return { payload, type: 'application/json; charset=utf-8' };
}

export type Listening = { origin: string; port: number; close(): Promise<void> };

/** Port 0 selects any free port. Binds to loopback unless `host` is given: only this machine needs access. */
export async function listenOnLoopback(handler: Handler, port = 0, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer((req, res) => {
    handler(req, res).catch(() => res.destroy());
  });
  // Like the real ones. With Node's default of 5 s, a busy machine ends a connection while a call is being written.
  server.keepAliveTimeout = 75_000;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  const bound = (server.address() as AddressInfo).port;
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { origin: `http://${host}:${bound}`, port: bound, close };
}

/** Dispatches to several handlers by path prefix, and removes the prefix from `req.url`. */
export function mountUnder(parts: Record<string, Handler>, otherwise: Handler): Handler {
  const prefixes = Object.keys(parts);
  return (req, res) => {
    const target = req.url ?? '/';
    const prefix = prefixes.find((candidate) => target === candidate || target.startsWith(`${candidate}/`));
    const part = prefix === undefined ? undefined : parts[prefix];
    if (prefix === undefined || part === undefined) return otherwise(req, res);
    req.url = target.slice(prefix.length) || '/';
    return part(req, res);
  };
}

export abstract class FakePlatform {
  readonly calls = new RecordLog<Call>();
  /** The address for the matching setting. Empty until `listen`; set by the owner of a mounted fake. */
  url = '';
  readonly #faults = new Map<string, { fault: Fault; left: number }[]>();
  readonly #delaysMs = new Map<string, number>();
  readonly #held = new Map<string, PromiseWithResolvers<void>>();
  readonly #closing = new AbortController();
  #listening: Listening | undefined;

  /** Names the operation, before faults are looked up. */
  protected abstract operationOf(method: string, path: string): string;
  /** Performs the call. `undefined` means that the response was already written (streams). */
  protected abstract answer(call: Call, res: ServerResponse): Promise<Answer | undefined>;

  readonly handle: Handler = async (req, res) => {
    const call = await this.#readCall(req);
    res.once('finish', () => {
      call.status = res.statusCode;
      this.calls.touch(call);
    });
    this.calls.add(call);
    await this.wait(this.#delaysMs.get(call.operation) ?? 0);
    await this.#held.get(call.operation)?.promise;
    const fault = this.#takeFault(call);
    const hangs = fault !== undefined && 'hang' in fault ? fault.hang : undefined;
    if (hangs === true) return;
    if (fault !== undefined && 'status' in fault) return sendAnswer(res, fault);
    const cut = fault !== undefined && 'cut' in fault ? fault.cut : undefined;
    if (cut === 'before') return void res.destroy();
    const answer = await this.answer(call, res);
    if (hangs === 'after') return;
    if (cut === 'after') return void res.destroy();
    if (answer !== undefined) sendAnswer(res, answer);
  };

  /** Scripts the next `times` (default 1) calls of an operation; scripts for one operation are used up in order. */
  fail(operation: string, fault: Fault): void {
    const queue = this.#faults.get(operation) ?? [];
    queue.push({ fault, left: fault.times ?? 1 });
    this.#faults.set(operation, queue);
  }

  /** Delays every answer to this operation; 0 removes the delay. */
  delay(operation: string, delayMs: number): void {
    this.#delaysMs.set(operation, delayMs);
  }

  /** Holds calls of this operation, once they have arrived, until the returned function is called. */
  hold(operation: string): () => void {
    const held = Promise.withResolvers<void>();
    this.#held.set(operation, held);
    return () => {
      this.#held.delete(operation);
      held.resolve();
    };
  }

  clearFaults(): void {
    this.#faults.clear();
    this.#delaysMs.clear();
    this.#letGo();
  }

  #letGo(): void {
    for (const { resolve } of this.#held.values()) resolve();
    this.#held.clear();
  }

  /** Listens on its own port; `basePath` is the end of `url`, such as `/v1`. */
  protected async listen(options: {
    port?: number | undefined;
    host?: string | undefined;
    basePath?: string;
  }): Promise<this> {
    this.#listening = await listenOnLoopback(this.handle, options.port, options.host);
    this.url = `${this.#listening.origin}${options.basePath ?? ''}`;
    return this;
  }

  /** Clears the timers and, if the fake listens itself, closes the server with every open connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#letGo();
    await this.#listening?.close();
  }

  protected get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends early, without an error, when the fake is closed. */
  protected async wait(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  async #readCall(req: IncomingMessage): Promise<Call> {
    const target = new URL(req.url ?? '/', 'http://fake.invalid');
    const path = decodeURIComponent(target.pathname);
    const body = await readBody(req);
    const method = req.method ?? 'GET';
    return {
      operation: this.operationOf(method, path),
      method,
      path,
      query: target.searchParams,
      headers: req.headers,
      body,
      params: await readParams(req.headers['content-type'], body),
      receivedAt: Date.now(),
    };
  }

  #takeFault(call: Call): Fault | undefined {
    const queue = this.#faults.get(call.operation) ?? [];
    const next = queue.find(({ fault: { on } }) => on?.(call) ?? true);
    if (next === undefined) return undefined;
    next.left -= 1;
    if (next.left <= 0) queue.splice(queue.indexOf(next), 1);
    return next.fault;
  }
}
