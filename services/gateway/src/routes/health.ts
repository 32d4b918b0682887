import { HttpError, unavailable } from '@botyard/shared/http/errors';
import type { RequestHandler } from 'express';
import type { Deps } from '../deps.ts';

const path = '/api/health';

/** `GET /api/health` (REQ-HTTP-4): the only path that the gateway answers itself. */
export const answerHealth =
  ({ checkHealth }: Deps): RequestHandler =>
  async (req, res, next) => {
    if (res.locals.path !== path) return next();
    req.route = { path };
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      throw new HttpError(405, 'this path can only be read');
    }
    const { status, services } = await checkHealth();
    if (status === 'ok') {
      res.json({ status });
      return;
    }
    res.setHeader('Retry-After', 1);
    const { body } = unavailable(`not every service is ready: ${status}`);
    res.status(503).json({ status, services, ...body });
  };
