import type { Express } from 'express';
import type { WebhookHealthCheck } from '../domain/webhook-health.ts';

/**
 * `GET /webhooks/health`, without authentication. Mounted after the checks of all of /webhooks: gateway and limiter.
 */
export function mountWebhookHealth(app: Express, health: WebhookHealthCheck): void {
  app.get('/webhooks/health', async (_req, res) => {
    const report = await health.read();
    if (report.status === 'down') res.setHeader('Retry-After', 1);
    res.status(report.status === 'down' ? 503 : 200).json(report);
  });
}
