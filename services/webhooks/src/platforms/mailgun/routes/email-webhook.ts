import { HttpError } from '@botyard/shared/http/errors';
import type { Express, RequestHandler } from 'express';
import { z } from 'zod';
import type { Deps } from '../../../deps.ts';
import { noteFirstDelivery } from '../../../endpoints/domain/first-delivery.ts';
import { ByteBudget } from '../../../files/domain/byte-budget.ts';
import { FieldMeter } from '../domain/inbound/files/field-meter.ts';
import { type MailForm, tripleOf } from '../domain/inbound/mail-form.ts';
import { findReceiver, type Receiver, Refused } from '../domain/inbound/receive/find-receiver.ts';
import { receiveMail } from '../domain/inbound/receive/receive-mail.ts';
import { readEmailForm } from './read-email-form.ts';

/** The limit for the fields of all deliveries that are being read; files are on the disk. */
const maxFieldBytesAtOnce = 256 * 1024 * 1024;

/**
 * Receives mail as the mailer posts it. Mounted after the gateway check and the limiter for everything under /webhooks.
 */
export function mountEmailWebhook(app: Express, deps: Deps): void {
  const budget = new ByteBudget(maxFieldBytesAtOnce);
  app.post(['/webhooks/email', '/webhooks/email/:botId'], receive(deps, budget));
}

/**
 * The mailer stops retrying only after a 406: final refusals are answered with it, and retryable faults keep their
 * status.
 */
function receive(deps: Deps, budget: ByteBudget): RequestHandler {
  return async (req, res) => {
    const reception = deps.spool.receive();
    const meter = new FieldMeter(budget);
    try {
      const botId = readBotId(req.params.botId);
      if (botId !== null) await requireMailbox(deps, botId);
      const checkBeforeFile = async (form: MailForm) => {
        // Fields may follow the files: checks that need them are made at the end.
        const isComplete =
          tripleOf(form) !== undefined && (botId !== null || form.one('recipient') !== undefined);
        if (isComplete) await findReceiver(deps, botId, form);
      };
      const { form, files } = await readEmailForm(req, res, { reception, meter, checkBeforeFile });
      const receiver = await findReceiver(deps, botId, form);
      if (receiver.token === null) logBypass(deps, receiver);
      const { verdict, reason = '' } = await receiveMail(deps, receiver, { form, files });
      if (receiver.mailbox.isAwaitingFirstDelivery) await noteFirstDelivery(deps, receiver.mailbox);
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
      meter.end();
      await reception.dispose();
    }
  };
}

function readBotId(given: unknown): string | null {
  if (given === undefined) return null;
  const botId = z.uuid().safeParse(given);
  if (!botId.success) throw new Refused('unknown recipient', 'nobody receives this mail here');
  return botId.data.toLowerCase();
}

/** Refuses deliveries without a mailbox before anything is read. */
async function requireMailbox({ mailboxes }: Deps, botId: string): Promise<void> {
  if (!(await mailboxes.ofBot(botId)))
    throw new Refused('unknown recipient', 'nobody receives this mail here');
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
