import type { RequestHandler } from 'express';
import { createAccessLog, type Log } from '../log/log.ts';
import type { Metrics } from '../service/metrics.ts';
import { contextFrom, runInContext } from '../tracing/context.ts';

/** Begins the context of a request and writes its one closing line. */
export function createRequestContext(log: Log, metrics: Metrics): RequestHandler {
  const accessLog = createAccessLog(log);
  return (req, res, next) => {
    const startedAt = performance.now();
    const context = contextFrom({
      traceparent: req.headers.traceparent,
      requestId: req.headers['x-request-id'],
    });
    runInContext(context, () => {
      res.once('close', () => {
        const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
        const route = (req.route as { path?: string } | undefined)?.path ?? 'unknown';
        metrics.requestSeconds.observe(
          { method: req.method, route, status: res.statusCode },
          durationMs / 1000,
        );
        const { statusCode: status, writableFinished } = res;
        accessLog.info(
          {
            ...context.logFields(),
            method: req.method,
            route,
            status,
            durationMs,
            aborted: !writableFinished,
          },
          'request',
        );
      });
      next();
    });
  };
}
