import { badRequest, HttpError, unauthorized } from '@botyard/shared/http/errors';
import express, { type Express, type RequestHandler } from 'express';
import type { TimeBudget } from '../../admission/routes/time-budget.ts';
import type { Deps } from '../deps.ts';
import { receiveIdentityEvent } from '../domain/receive-event.ts';

/**
 * Many times the provider's largest event. Limited, because anybody can send a body before its signature is checked.
 */
const maxEventBytes = 256 * 1024;

/**
 * Receives the identity provider's events. Mounted after the gateway check and the limiter for everything under
 * /webhooks.
 */
export function mountIdpWebhook(app: Express, deps: Deps, { budget }: { budget: TimeBudget }): void {
  app.post(
    '/webhooks/idp',
    requireSecret(deps),
    budget.pause,
    express.raw({ limit: maxEventBytes, type: () => true, inflate: false }),
    budget.resume,
    budget.within(receive(deps)),
  );
}

/** Without a secret nothing can be verified, so nothing is accepted: the provider keeps its events and retries. */
function requireSecret({ verifyIdpDelivery }: Deps): RequestHandler {
  return (_req, _res, next) => {
    if (verifyIdpDelivery) return next();
    next(
      new HttpError(500, 'deliveries of the identity provider cannot be verified here', {
        cause: new Error('IDP_WEBHOOK_SECRET is not set'),
      }),
    );
  };
}

/** Anybody can send such a delivery, so nothing of it is repeated; the next verified one ends the problem. */
function signatureProblem(timestamp: unknown) {
  const isOld = Math.abs(Date.now() / 1000 - Number(timestamp)) > 300;
  const reason = isOld
    ? 'dated more than 5 minutes from the clock of this machine'
    : 'signed with another secret than this one';
  const problem =
    `a delivery to /webhooks/idp was ${reason}. If people and organizations don't arrive, compare the setting with the ` +
    "endpoint's signing secret at the identity provider, and the clock";
  return { setting: 'IDP_WEBHOOK_SECRET', cause: isOld ? 'date' : 'signature', problem };
}

function receive(deps: Deps): RequestHandler {
  return async (req, res) => {
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const delivery = deps.verifyIdpDelivery?.(body, req.headers);
    if (!delivery) {
      deps.deliveriesCounted.inc({ verdict: 'refused', reason: 'wrong signature' });
      deps.problems.note(signatureProblem(req.headers['svix-timestamp']));
      throw unauthorized('the signature does not match');
    }
    deps.problems.clear('IDP_WEBHOOK_SECRET');
    const { verdict, reason = '' } = await receiveIdentityEvent(deps, delivery, body);
    deps.deliveriesCounted.inc({ verdict, reason });
    if (verdict === 'malformed') throw badRequest('the body is not an event of the identity provider');
    if (!res.headersSent) res.status(200).json({});
  };
}
