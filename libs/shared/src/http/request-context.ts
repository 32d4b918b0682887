import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAccessLog, type Log } from '../log/log.ts';
import type { Metrics } from '../service/metrics.ts';
import type { Instance } from '../system/instance.ts';
import { contextFrom, runInContext } from '../tracing/context.ts';
import { beginSpan } from '../tracing/spans.ts';

interface Parts {
  log: Log;
  metrics: Metrics;
  instance: Instance;
}

/** A request with its route: set by express, or by the handler that proxies a request. */
export type Routed = IncomingMessage & { route?: { path?: string } | undefined };

/** Runs the rest of a request's work within its context. */
type BeginRequest = (req: Routed, res: ServerResponse, next: () => void) => void;

/**
 * Begins the context of a request and writes its one closing line. Headers of strangers only affect the request's id.
 */
export function createRequestContext(
  { log, metrics, instance }: Parts,
  { isTrusted = true }: { isTrusted?: boolean } = {},
): BeginRequest {
  const writeLine = createAccessLog(log);
  return (req, res, next) => {
    const { method = 'GET' } = req;
    const startedAt = performance.now();
    instance.requests += 1;
    instance.requestsInFlight += 1;
    const context = contextFrom(
      { traceparent: req.headers.traceparent, requestId: req.headers['x-request-id'] },
      { isTrusted },
    );
    const span = beginSpan(method, { kind: 'server' }, context);
    runInContext(context, () => {
      res.once('close', () => {
        context.share = undefined;
        instance.requestsInFlight -= 1;
        const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
        const route = req.route?.path ?? 'unknown';
        metrics.requestSeconds.observe({ method, route, status: res.statusCode }, durationMs / 1000);
        const { statusCode: status, writableFinished } = res;
        const aborted = !writableFinished;
        writeLine({ ...context.logFields(), method, route, status, durationMs, aborted });
        span.set({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
        });
        if (status >= 500) span.fail(undefined);
        span.end();
      });
      next();
    });
  };
}
