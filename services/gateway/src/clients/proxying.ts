import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { OpenStreams } from '@botyard/shared/http/open-streams';
import { instanceHeader } from '@botyard/shared/system/process-contract';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { beginAnswer, isEventStream, tenantOf } from './answer.ts';
import type { Connections } from './connections.ts';
import { Deadlines, type DeadlineTimes } from './deadlines.ts';

const attemptOf = Symbol('attempt');
type Attempted = IncomingMessage & { [attemptOf]?: Attempt };

interface Options {
  streams: OpenStreams;
  target: string;
  connections: Connections;
  times: DeadlineTimes;
  isExpectedBack: () => boolean;
}

/** Forwards requests with http-proxy-middleware, and streams body and answer. */
export function createProxying({ target, connections, times, isExpectedBack, streams }: Options) {
  const watchRequest: Plugin = (proxy) =>
    proxy.on('proxyReq', (proxyReq, req) => (req as Attempted)[attemptOf]?.watch(proxyReq));
  const answerClient: Plugin = (proxy) =>
    proxy.on('proxyRes', (proxyRes, req, res) => {
      const instanceId = proxyRes.headers[instanceHeader];
      if (typeof instanceId === 'string') connections.noteAnswer(proxyRes.socket, instanceId);
      const isRefused = (req as Attempted)[attemptOf]?.refuses(proxyRes) === true;
      if (!isRefused) sendAnswer(proxyRes, res as ServerResponse);
    });
  // Without the library's own plugins its 'error' event has no listener, so an error rejects the promise.
  const proxy = createProxyMiddleware({
    target,
    agent: connections.agent,
    ejectPlugins: true,
    selfHandleResponse: true,
    plugins: [watchRequest, answerClient],
  });
  return async (
    req: IncomingMessage,
    res: ServerResponse,
    { headers, caller }: { headers: Record<string, string>; caller: string },
  ): Promise<void> => {
    const attempt = new Attempt({
      times,
      isExpectedBack,
      openStream: (tenantId) => streams.open(caller, tenantId),
    });
    (req as Attempted)[attemptOf] = attempt;
    req.headers = headers;
    try {
      await Promise.race([proxy(req, res), attempt.overdue]);
    } finally {
      attempt.end();
    }
  };
}

interface AttemptOptions {
  times: DeadlineTimes;
  isExpectedBack: () => boolean;
  /** @throws HttpError when too many are open. */
  openStream: (tenantId: string | undefined) => () => void;
}

/** One request to the service and its deadlines. */
class Attempt {
  /** Rejects at the first missed deadline; never resolves. */
  readonly overdue: Promise<never>;
  readonly #deadlines: Deadlines;
  readonly #openStream: (tenantId: string | undefined) => () => void;
  readonly #fail: (error: Error) => void;
  #proxyReq: ClientRequest | undefined;
  #closeStream: (() => void) | undefined;

  constructor({ times, isExpectedBack, openStream }: AttemptOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.overdue = promise;
    this.#openStream = openStream;
    this.#fail = reject;
    this.#deadlines = new Deadlines({
      times,
      isExpectedBack,
      onMiss: (error) => {
        reject(error);
        this.#proxyReq?.destroy(error);
      },
    });
  }

  /** Called when the request has its connection, before anything is sent. */
  watch(proxyReq: ClientRequest): void {
    const deadlines = this.#deadlines;
    // The request was abandoned while it waited for a connection: it must not reach the service any more.
    if (deadlines.missed) {
      proxyReq.destroy(deadlines.missed);
      return;
    }
    this.#proxyReq = proxyReq;
    deadlines.connected();
    proxyReq.once('finish', () => deadlines.sent());
    proxyReq.once('response', () => deadlines.answered());
  }

  /**
   * Event streams have no deadline, but the number of open ones is limited. Returns `true` when the limit is reached.
   */
  refuses(proxyRes: IncomingMessage): boolean {
    if (!isEventStream(proxyRes.headers['content-type'])) return false;
    try {
      this.#closeStream = this.#openStream(tenantOf(proxyRes.headers));
    } catch (error) {
      this.#fail(error as Error);
      // After the refusal has been sent: otherwise the client's connection would be closed along with this one.
      setImmediate(() => proxyRes.destroy());
      return true;
    }
    this.#deadlines.end();
    return false;
  }

  end(): void {
    this.#deadlines.end();
    this.#closeStream?.();
  }
}

function sendAnswer(proxyRes: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) return;
  beginAnswer(res, proxyRes.statusCode ?? 502, proxyRes.headers);
  if (isEventStream(proxyRes.headers['content-type'])) res.flushHeaders();
  proxyRes.pipe(res);
}
