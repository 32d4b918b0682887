import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { instanceHeader } from '@botyard/shared/system/process-contract';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { beginAnswer } from './answer.ts';
import type { Connections } from './connections.ts';
import { Deadlines, type DeadlineTimes } from './deadlines.ts';

const attemptOf = Symbol('attempt');
type Attempted = IncomingMessage & { [attemptOf]?: Attempt };

interface Options {
  target: string;
  connections: Connections;
  times: DeadlineTimes;
  isExpectedBack: () => boolean;
}

/** Sends requests on with http-proxy-middleware, body and answer as they flow. */
export function createProxying({ target, connections, times, isExpectedBack }: Options) {
  const watchRequest: Plugin = (proxy) =>
    proxy.on('proxyReq', (proxyReq, req) => (req as Attempted)[attemptOf]?.watch(proxyReq));
  const answerClient: Plugin = (proxy) =>
    proxy.on('proxyRes', (proxyRes, _req, res) => {
      const instanceId = proxyRes.headers[instanceHeader];
      if (typeof instanceId === 'string') connections.noteAnswer(proxyRes.socket, instanceId);
      sendAnswer(proxyRes, res as ServerResponse);
    });
  // Without the library's own plugins nothing listens to its 'error' event, so an error rejects the promise.
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
    headers: Record<string, string>,
  ): Promise<void> => {
    const attempt = new Attempt(times, isExpectedBack);
    (req as Attempted)[attemptOf] = attempt;
    req.headers = headers;
    try {
      await Promise.race([proxy(req, res), attempt.overdue]);
    } finally {
      attempt.end();
    }
  };
}

/** One request to the service and its deadlines. */
class Attempt {
  /** Rejects at the first deadline that is missed; never resolves. */
  readonly overdue: Promise<never>;
  readonly #deadlines: Deadlines;
  #proxyReq: ClientRequest | undefined;

  constructor(times: DeadlineTimes, isExpectedBack: () => boolean) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.overdue = promise;
    this.#deadlines = new Deadlines({
      times,
      isExpectedBack,
      onMiss: (error) => {
        reject(error);
        this.#proxyReq?.destroy(error);
      },
    });
  }

  /** Called when the request has got its connection, before anything is sent. */
  watch(proxyReq: ClientRequest): void {
    const deadlines = this.#deadlines;
    // Given up while it waited for a connection: it must not reach the service any more.
    if (deadlines.missed) {
      proxyReq.destroy(deadlines.missed);
      return;
    }
    this.#proxyReq = proxyReq;
    deadlines.connected();
    proxyReq.once('finish', () => deadlines.sent());
    proxyReq.once('response', () => deadlines.answered());
  }

  end(): void {
    this.#deadlines.end();
  }
}

function sendAnswer(proxyRes: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) return;
  beginAnswer(res, proxyRes.statusCode ?? 502, proxyRes.headers);
  proxyRes.pipe(res);
}
