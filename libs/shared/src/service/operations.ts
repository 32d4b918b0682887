import type { Express } from 'express';
import { unavailable } from '../http/errors.ts';
import type { Metrics } from './metrics.ts';
import { isReady, type Readiness } from './readiness.ts';

interface OperationsOptions {
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  isStopping: () => boolean;
}

/**
 * Endpoints for operators and supervisors on a process's internal port: alive, ready, metrics.
 * `/readyz?exclude=bus,messages` is for load balancers: requests, webhooks in particular, are still answered without
 * NATS, and while a cluster elects a leader every process would otherwise be taken out of service.
 */
export function mountOperations(app: Express, options: OperationsOptions): void {
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (req, res) => {
    const excluded = String(req.query.exclude ?? '').split(',');
    const all = Object.entries(await options.readiness());
    const checks = Object.fromEntries(all.filter(([name]) => !excluded.includes(name)));
    const ready = isReady(checks) && !options.isStopping();
    if (ready) return void res.json({ status: 'ready', checks });
    res.setHeader('Retry-After', 1);
    res.status(503).json({ status: 'not ready', checks, ...unavailable('the process is not ready').body });
  });
  app.get('/metrics', async (_req, res) => {
    res.type(options.metrics.registry.contentType).send(await options.metrics.registry.metrics());
  });
}
