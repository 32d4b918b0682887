import { identityHeader, type VerifyIdentity } from '@botyard/shared/auth/identity';
import { badRequest, notFound, unauthorized } from '@botyard/shared/http/errors';
import express, { type Express, type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { z } from 'zod';
import type { Endpoint, Inbound, Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { createBalancerNotice } from '../domain/balancer-notice.ts';
import { createLimiterStore } from '../domain/limiter-store.ts';
import { receiveDelivery } from '../domain/receive-delivery.ts';
import { clientAddress, writtenAddress } from './client-address.ts';
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
  const receivers = Object.values(deps.platforms).flatMap(receiverOf);
  const paths = receivers.map(({ platform }) => `/webhooks/${platform.name}`);
  app.use([...paths, '/webhooks/idp'], budget.start);
  if (options.isLimited) app.use('/webhooks', limiter(deps, options));
  for (const receiver of receivers) {
    app.post(
      `/webhooks/${receiver.platform.name}/:botId`,
      budget.within(verifySender(deps, receiver)),
      budget.pause,
      express.raw({ limit: receiver.inbound.maxBytes, type: () => true, inflate: false }),
      budget.resume,
      budget.within(receive(deps, receiver)),
    );
  }
}

interface Receiver {
  platform: Platform;
  inbound: Inbound;
}

const receiverOf = (platform: Platform): Receiver[] =>
  platform.inbound ? [{ platform, inbound: platform.inbound }] : [];

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

function verifySender(
  { endpoints, deliveriesCounted, isProduction }: Deps,
  { inbound }: Receiver,
): RequestHandler {
  return async (req, res, next) => {
    const { botId } = req.params;
    if (!z.uuid().safeParse(botId).success) throw notFound('bot');
    const endpoint = await endpoints.find(inbound.connector, String(botId).toLowerCase());
    if (!endpoint) throw notFound('bot');
    if (!inbound.isFromPlatform(req.headers, endpoint, { isProduction })) {
      deliveriesCounted.inc({ verdict: 'refused', reason: 'wrong secret' });
      throw unauthorized('the secret token does not match');
    }
    res.locals.endpoint = endpoint;
    next();
  };
}

/** The answer never repeats anything from the delivery: the platform would interpret a `method` in it as a call. */
function receive(deps: Deps, receiver: Receiver): RequestHandler {
  return async (req, res) => {
    const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const { verdict, reason = '' } = await receiveDelivery(
      deps,
      receiver,
      res.locals.endpoint as Endpoint,
      bytes,
    );
    deps.deliveriesCounted.inc({ verdict, reason });
    if (verdict === 'malformed') throw badRequest('the body is not a delivery of the platform');
    // Doesn't use `json`, which would hash the answer for its ETag.
    if (!res.headersSent) res.status(200).type('json').end('{}');
  };
}
