import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, unavailable } from '@botyard/shared/http/errors';
import type { Drain } from '@botyard/shared/system/drain';
import { instanceHeader } from '@botyard/shared/system/process-contract';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { Connections } from './connections.ts';

export interface UpstreamLimits {
  connectTimeoutMs: number;
  /** From the end of the request to the beginning of the answer. */
  firstByteTimeoutMs: number;
  totalTimeoutMs: number;
  maxConnections: number;
}

/** Times: reliability, rule 8. Connections: more than the slow senders that one may have to bear (P18). */
export const upstreamLimits: UpstreamLimits = {
  connectTimeoutMs: 1000,
  firstByteTimeoutMs: 10_000,
  totalTimeoutMs: 30_000,
  maxConnections: 2500,
};

/** A service behind the gateway. */
export interface Upstream {
  /**
   * Sends the request on, with exactly these headers, and its answer back; resolves when the answer is over.
   * @throws HttpError 503 when the service can't be reached, 504 when it doesn't answer in time.
   */
  forward(req: IncomingMessage, res: ServerResponse, headers: Record<string, string>): Promise<void>;
  /** A process of the service is about to end, or has ended. */
  noteDrain(drain: Drain): void;
  close(): void;
}

export interface UpstreamOptions {
  /** One address, or one of each process; all of one scheme. */
  urls: readonly string[];
  limits: UpstreamLimits;
  /** Whether the service has told that it is about to be back: then requests wait for it. */
  isExpectedBack?: () => boolean;
}

const attemptOf = Symbol('attempt');
type Attempted = IncomingMessage & { [attemptOf]?: Attempt };

export function createUpstream({ urls, limits, isExpectedBack = () => false }: UpstreamOptions): Upstream {
  const { maxConnections, connectTimeoutMs } = limits;
  const connections = new Connections({ urls, maxConnections, connectTimeoutMs, isExpectedBack });
  const watchRequest: Plugin = (proxy) =>
    proxy.on('proxyReq', (proxyReq, req) => (req as Attempted)[attemptOf]?.watch(proxyReq));
  const answerClient: Plugin = (proxy) =>
    proxy.on('proxyRes', (proxyRes, req, res) => {
      const instanceId = proxyRes.headers[instanceHeader];
      if (typeof instanceId === 'string') connections.noteAnswer(proxyRes.socket, instanceId);
      sendAnswer(proxyRes, req as IncomingMessage, res as ServerResponse);
    });
  // Without the library's own plugins nothing listens to its 'error' event, so an error rejects the promise.
  const proxy = createProxyMiddleware({
    target: urls[0] ?? '',
    agent: connections.agent,
    ejectPlugins: true,
    selfHandleResponse: true,
    plugins: [watchRequest, answerClient],
  });
  return {
    forward: async (req, res, headers) => {
      const attempt = new Attempt(limits, isExpectedBack);
      (req as Attempted)[attemptOf] = attempt;
      req.headers = headers;
      const send = () => Promise.race([proxy(req, res), attempt.overdue]);
      try {
        await send().catch((error: unknown) => {
          if (attempt.isAnswered || !isWorthRepeating(req, error)) throw error;
          return send();
        });
      } catch (error) {
        throw error instanceof HttpError
          ? error
          : unavailable('the service is not available', { cause: error });
      } finally {
        attempt.end();
      }
    },
    noteDrain: (drain) => connections.noteDrain(drain),
    close: () => connections.close(),
  };
}

/** The process died, or closed the connection just as we used it again; reading twice does no harm. */
function isWorthRepeating(req: IncomingMessage, error: unknown): boolean {
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  const { code = '' } = error as NodeJS.ErrnoException;
  return isRead && !hasBody && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** One request to the service and its deadlines. */
class Attempt {
  /** Rejects at the first deadline that is missed; never resolves. */
  readonly overdue: Promise<never>;
  readonly #reject: (error: HttpError) => void;
  readonly #limits: UpstreamLimits;
  readonly #total: NodeJS.Timeout;
  #step: NodeJS.Timeout;
  #proxyReq: ClientRequest | undefined;
  #missed: HttpError | undefined;
  #isAnswered = false;

  constructor(limits: UpstreamLimits, isExpectedBack: () => boolean) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.overdue = promise;
    this.#reject = reject;
    this.#limits = limits;
    this.#total = this.#deadline(limits.totalTimeoutMs, tookTooLong);
    // Counts the wait for a free connection too.
    const waitForConnection = (): NodeJS.Timeout =>
      setTimeout(() => {
        if (isExpectedBack()) this.#step = waitForConnection();
        else this.#miss(unavailable('the service is not available'));
      }, limits.connectTimeoutMs);
    this.#step = waitForConnection();
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Called when the request has got its connection, before anything is sent. */
  watch(proxyReq: ClientRequest): void {
    // Given up while it waited for a connection: it must not reach the service any more.
    if (this.#missed) {
      proxyReq.destroy(this.#missed);
      return;
    }
    this.#proxyReq = proxyReq;
    const { socket } = proxyReq;
    if (socket?.connecting) socket.once('connect', () => clearTimeout(this.#step));
    else clearTimeout(this.#step);
    proxyReq.once('finish', () => {
      if (!this.#isAnswered) this.#step = this.#deadline(this.#limits.firstByteTimeoutMs, tookTooLong);
    });
    proxyReq.once('response', () => {
      this.#isAnswered = true;
      clearTimeout(this.#step);
    });
  }

  end(): void {
    clearTimeout(this.#step);
    clearTimeout(this.#total);
  }

  #deadline(ms: number, makeError: () => HttpError): NodeJS.Timeout {
    return setTimeout(() => this.#miss(makeError()), ms);
  }

  #miss(error: HttpError): void {
    this.#missed = error;
    this.#reject(error);
    this.#proxyReq?.destroy(error);
  }
}

const tookTooLong = () => new HttpError(504, 'the service did not answer in time');

/** What concerns one connection only, or tells of our insides, or would open the API to other origins. */
const keptBack =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-powered-by|server|x-botyard-.*|access-control-.*)$/;

/** Headers that the gateway has set itself stand. */
function sendAnswer(proxyRes: IncomingMessage, _req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) return;
  res.statusCode = proxyRes.statusCode ?? 502;
  for (const [name, value] of Object.entries(proxyRes.headers)) {
    if (value !== undefined && !keptBack.test(name) && !res.hasHeader(name)) res.setHeader(name, value);
  }
  proxyRes.pipe(res);
}
