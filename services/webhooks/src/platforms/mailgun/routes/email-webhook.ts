import { uuidOf } from '@botyard/shared/auth/uuid';
import { HttpError } from '@botyard/shared/http/errors';
import { FairBudget, type Holding } from '@botyard/shared/work/fair-budget';
import type { RequestHandler, Router } from 'express';
import { clientAddress } from '../../../admission/routes/client-address.ts';
import { noteFirstDelivery } from '../../../endpoints/domain/first-delivery.ts';
import type { Deps } from '../deps.ts';
import { type MailForm, tripleOf } from '../domain/inbound/mail-form.ts';
import {
  findReceiver,
  type Receiver,
  Refused,
  unknownRecipient,
} from '../domain/inbound/receive/find-receiver.ts';
import { receiveMail } from '../domain/inbound/receive/receive-mail.ts';
import { readEmailForm } from './read-email-form.ts';

const megabyte = 1024 ** 2;
/**
 * The limits for the fields of deliveries that are being read; files are on the disk. The fields of one delivery have
 * at most 8 MB.
 */
const fieldLimits = {
  strangers: { maxBytes: 128 * megabyte, maxBytesOfOne: 16 * megabyte },
  tenants: { maxBytes: 128 * megabyte, maxBytesOfOne: 64 * megabyte },
  what: 'mails',
};

/**
 * Receives mail as the mailer posts it: a form of many megabytes whose files go to the disk while it is read, with the
 * signature in one of its fields. So it has a route of its own, and not `verify` and `read` of a body in memory.
 */
export function mountEmailWebhook(router: Router, deps: Deps): void {
  const budget = new FairBudget(fieldLimits);
  router.post(['/', '/:botId'], receive(deps, budget));
}

/**
 * The mailer stops retrying only after a 406: final refusals are answered with it, and retryable faults keep their
 * status.
 *
 * The bytes of a delivery count on the share of its sender's address until its signature is verified, and then on the
 * share of the tenant. A mailbox without a key proves nothing.
 */
function receive(deps: Deps, budget: FairBudget): RequestHandler {
  return async (req, res) => {
    const owner = { address: clientAddress(req) };
    const reception = deps.spool.receive(owner);
    const held = budget.open(owner);
    try {
      const botId = readBotId(req.params.botId);
      if (botId !== null) await requireMailbox(deps, botId);
      const prove = createProof(deps, botId, [held, reception.held]);
      const { form, files } = await readEmailForm(req, res, { reception, held, onFields: prove });
      const receiver = await findReceiver(deps, botId, form);
      if (receiver.token === null) logBypass(deps, receiver);
      const { verdict, reason = '' } = await receiveMail(deps, receiver, { form, files });
      await noteFirstDelivery(deps, receiver.mailbox);
      deps.deliveriesCounted.inc({ verdict, reason });
      if (verdict === 'replay')
        throw new HttpError(406, 'the signature has already been used for another mail');
      res.status(200).json({});
    } catch (error) {
      countRefusal(deps, error);
      // Closing a connection while bytes are arriving would reset it, and the answer would be lost.
      if (!req.complete) res.shouldKeepAlive = true;
      throw error;
    } finally {
      held.end();
      await reception.dispose();
    }
  };
}

/**
 * Refuses a delivery by its first fields, or charges it to its tenant. The fields may follow the files: then this is
 * done at the end.
 */
function createProof(deps: Deps, botId: string | null, holdings: readonly Holding[]) {
  let isProven = false;
  return async (form: MailForm, { mayFollow }: { mayFollow: boolean }) => {
    const isComplete =
      tripleOf(form) !== undefined && (botId !== null || form.one('recipient') !== undefined);
    if (isProven || !isComplete) return;
    const receiver = await findReceiver(deps, botId, form).catch((error: unknown) => {
      // The signature by the account above may be a later field. Until then the address's share is charged.
      if (mayFollow && error instanceof Refused && error.reason === 'wrong signature') return null;
      throw error;
    });
    if (!receiver || receiver.token === null) return;
    isProven = true;
    for (const holding of holdings) await holding.chargeTo({ tenantId: receiver.mailbox.tenantId });
  };
}

function readBotId(given: unknown): string | null {
  if (given === undefined) return null;
  const botId = uuidOf(String(given));
  if (botId === undefined) throw unknownRecipient();
  return botId;
}

/** Refuses deliveries without a mailbox before anything is read. */
async function requireMailbox({ mailboxes }: Deps, botId: string): Promise<void> {
  if (!(await mailboxes.ofBot(botId))) throw unknownRecipient();
}

/** Accepts the delivery as the specification requires (5), and logs it for security monitoring. */
function logBypass({ log }: Deps, { mailbox: { tenantId, botId, integrationId } }: Receiver): void {
  log.error(
    { severity: 'SECURITY', event: 'email.webhook.signature.BYPASSED', tenantId, botId, integrationId },
    'email.webhook.signature.BYPASSED',
  );
}

function countRefusal({ deliveriesCounted }: Deps, error: unknown): void {
  if (error instanceof Refused) deliveriesCounted.inc({ verdict: 'refused', reason: error.reason });
  else if (error instanceof HttpError && error.status === 413)
    deliveriesCounted.inc({ verdict: 'refused', reason: 'too large' });
}
