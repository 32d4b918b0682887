import type { Express } from 'express';
import type { Metrics } from './metrics.ts';
import { isReady, type Readiness } from './readiness.ts';

export interface OperationsOptions {
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  isStopping: () => boolean;
}

/** What operators and supervisors ask a process, on its internal port: alive, ready, figures. */
export function mountOperations(app: Express, options: OperationsOptions): void {
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    const checks = await options.readiness();
    const ready = isReady(checks) && !options.isStopping();
    if (!ready) res.setHeader('Retry-After', 1);
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', checks });
  });
  app.get('/metrics', async (_req, res) => {
    res.type(options.metrics.registry.contentType).send(await options.metrics.registry.metrics());
  });
}
