import { platformDefinitions } from '@botyard/contracts/http/platform';
import { identityHeader, type VerifyIdentity } from '@botyard/shared/auth/identity';
import { unauthorized } from '@botyard/shared/http/errors';
import express, { type Express, type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { createBalancerNotice } from '../domain/balancer-notice.ts';
import { createLimiterStore } from '../domain/limiter-store.ts';
import type { Receiver } from '../domain/receive-body.ts';
import { clientAddress, writtenAddress } from './client-address.ts';
import { mountReceiver } from './platform-receiver.ts';
import type { TimeBudget } from './time-budget.ts';

interface WebhookOptions {
  verifyIdentity: VerifyIdentity;
  ratePerMinute: number;
  isLimited: boolean;
  trustedProxies: readonly string[];
  budget: TimeBudget;
}

/** Everything under /webhooks: outside the gate, so each handler verifies its sender (REQ-HOOK-1). */
export function mountWebhooks(app: Express, deps: Deps, options: WebhookOptions): void {
  const { budget } = options;
  app.use('/webhooks', requireGateway(options.verifyIdentity));
  const platforms = Object.values(deps.platforms);
  const receivers = platforms.flatMap(receiverOf);
  const paths = receivers.map(({ platform }) => `/webhooks/${platform.name}`);
  app.use([...paths, '/webhooks/idp'], budget.start);
  if (options.isLimited) app.use('/webhooks', limiter(deps, options));
  for (const platform of platforms) {
    mountOwnRoutes(app, platform, budget);
    mountPublicPages(app, platform, requireGateway(options.verifyIdentity));
  }
  for (const receiver of receivers) mountReceiver(app, deps, receiver, budget);
}

const receiverOf = (platform: Platform): Receiver[] =>
  platform.inbound ? [{ platform, inbound: platform.inbound }] : [];

/** They have no time budget: a stream stays open. */
function mountOwnRoutes(app: Express, platform: Platform, budget: TimeBudget): void {
  if (!platform.mount) return;
  const router = express.Router();
  platform.mount(router);
  app.use(`/webhooks/${platform.name}`, budget.pause, router, budget.resume);
}

/** They lie outside `/webhooks`, and the limit of deliveries doesn't count them: browsers keep them. */
function mountPublicPages(app: Express, platform: Platform, verify: RequestHandler): void {
  if (!platform.mountPublic) return;
  for (const path of platformDefinitions[platform.name].publicPaths) app.get(path, verify);
  const router = express.Router();
  platform.mountPublic(router);
  app.use(router);
}

/** Accepts requests from the gateway only, which has set the client's true address. */
function requireGateway(verifyIdentity: VerifyIdentity): RequestHandler {
  return async (req, _res, next) => {
    const header = req.headers[identityHeader];
    if (!(await verifyIdentity(typeof header === 'string' ? header : undefined))) throw unauthorized();
    next();
  };
}

/** Runs before any signature is checked (REQ-HOOK-4). Fails open: without the database nothing is admitted anyway. */
function limiter(deps: Deps, { ratePerMinute: limit, trustedProxies }: WebhookOptions): RequestHandler {
  const notice = createBalancerNotice(deps.log, trustedProxies);
  return rateLimit({
    windowMs: 60_000,
    limit,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    passOnStoreError: true,
    store: createLimiterStore(deps.admissionDatabase, limit),
    keyGenerator: clientAddress,
    validate: false,
    logger: {
      error: (error: unknown) => deps.log.warn({ err: error }, 'could not count a delivery'),
      warn: (warning: unknown) => deps.log.warn({ err: warning }, 'the limiter reports a problem'),
    },
    handler: (req, res) => {
      notice(writtenAddress(req));
      res.status(429).json({ error: 'too many deliveries from this address' });
    },
  });
}
