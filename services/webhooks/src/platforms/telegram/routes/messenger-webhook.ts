import { identityHeader, type VerifyIdentity } from '@botyard/shared/auth/identity';
import { badRequest, notFound, unauthorized } from '@botyard/shared/http/errors';
import express, { type Express, type Request, type RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { z } from 'zod';
import { createBalancerNotice } from '../../../admission/domain/balancer-notice.ts';
import { createLimiterStore } from '../../../admission/domain/limiter-store.ts';
import { showsSecret } from '../../../admission/domain/verify-secret.ts';
import type { TimeBudget } from '../../../admission/routes/time-budget.ts';
import type { Deps } from '../../../deps.ts';
import { connector, type MessengerEndpoint } from '../domain/connection.ts';
import { receiveUpdate } from '../domain/receive-update.ts';

/** Several times the largest that the platform sends. */
const maxUpdateBytes = 256 * 1024;
const ipv6Subnet = 64;

export interface WebhookOptions {
  verifyIdentity: VerifyIdentity;
  ratePerMinute: number;
  isLimited: boolean;
  trustedProxies: readonly string[];
  budget: TimeBudget;
}

/** Everything under /webhooks: outside the gate, so each handler verifies its sender (specification 5). */
export function mountWebhooks(app: Express, deps: Deps, options: WebhookOptions): void {
  const { budget } = options;
  app.use('/webhooks', requireGateway(options.verifyIdentity));
  app.use(['/webhooks/messenger', '/webhooks/idp'], budget.start);
  if (options.isLimited) app.use('/webhooks', limiter(deps, options));
  app.post(
    '/webhooks/messenger/:botId',
    budget.within(verifySender(deps)),
    budget.pause,
    express.raw({ limit: maxUpdateBytes, type: () => true, inflate: false }),
    budget.resume,
    budget.within(receive(deps)),
  );
}

/** Only the gateway may come here: it has set the client's true address. */
function requireGateway(verifyIdentity: VerifyIdentity): RequestHandler {
  return async (req, _res, next) => {
    const header = req.headers[identityHeader];
    if (!(await verifyIdentity(typeof header === 'string' ? header : undefined))) throw unauthorized();
    next();
  };
}

/** Before any signature is checked (specification 8). Fails open: without the database nothing is admitted anyway. */
function limiter(deps: Deps, { ratePerMinute: limit, trustedProxies }: WebhookOptions): RequestHandler {
  const notice = createBalancerNotice(deps.log, trustedProxies);
  return rateLimit({
    windowMs: 60_000,
    limit,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    passOnStoreError: true,
    store: createLimiterStore(deps.admissionDatabase, limit),
    keyGenerator: (req) => ipKeyGenerator(clientAddress(req), ipv6Subnet),
    validate: false,
    logger: {
      error: (error: unknown) => deps.log.warn({ err: error }, 'a delivery could not be counted'),
      warn: (warning: unknown) => deps.log.warn({ err: warning }, 'about the limiter'),
    },
    handler: (req, res) => {
      notice(clientAddress(req));
      res.status(429).json({ error: 'too many deliveries from this address' });
    },
  });
}

const clientAddress = (req: Request): string =>
  req.headers['x-forwarded-for']?.toString() ?? req.socket.remoteAddress ?? '';

function verifySender({ endpoints, deliveriesCounted, isProduction }: Deps): RequestHandler {
  return async (req, res, next) => {
    const { botId } = req.params;
    if (!z.uuid().safeParse(botId).success) throw notFound('bot');
    const endpoint = await endpoints.find(connector, String(botId).toLowerCase());
    if (!endpoint) throw notFound('bot');
    const shown = ['x-messenger-bot-api-secret-token', 'x-telegram-bot-api-secret-token'].map((name) =>
      req.headers[name]?.toString(),
    );
    if (!showsSecret(shown, endpoint.secretHashes, { isProduction })) {
      deliveriesCounted.inc({ verdict: 'refused', reason: 'wrong secret' });
      throw unauthorized('the secret token does not match');
    }
    res.locals.endpoint = endpoint;
    next();
  };
}

/** The answer never repeats anything of the delivery: the platform would take a `method` in it for a call. */
function receive(deps: Deps): RequestHandler {
  return async (req, res) => {
    const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const { verdict, reason = '' } = await receiveUpdate(
      deps,
      res.locals.endpoint as MessengerEndpoint,
      bytes,
    );
    deps.deliveriesCounted.inc({ verdict, reason });
    if (verdict === 'malformed') throw badRequest('this is not an update of the messenger');
    if (!res.headersSent) res.status(200).json({});
  };
}
