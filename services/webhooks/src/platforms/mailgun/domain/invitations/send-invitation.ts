import type {
  sendInvitation as request,
  sendWithdrawalMail,
} from '@botyard/contracts/events/webhook-requests';
import { withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import type { MailResult, OutgoingMail } from '../../clients/mailer.ts';
import type { Deps } from '../../deps.ts';
import { addToDayCounts } from '../../store/day-counts.ts';
import { countLink } from '../../store/link-counts.ts';
import { isBounced } from '../outbound/bounces.ts';
import { whyTenantWaits } from '../outbound/day-caps.ts';
import { messageIdOfMail } from '../outbound/own-headers.ts';
import { keptForMs } from '../outbound/retries.ts';
import { isInvitable } from '../senders/addresses.ts';
import { limitsOfTenant } from '../senders/invite.ts';
import { createInvitationMail } from './invitation-mail.ts';
import { createWithdrawalMail } from './withdrawal-mail.ts';

type Question = z.output<typeof request.request>;
type Answer = z.input<typeof request.response>;
type SendDeps = Pick<Deps, 'database' | 'log' | 'mailer' | 'mailerAccount'>;

/** Shorter than the requesting service's timeout. */
const sendTimeoutMs = 5000;
const retryMs = 30_000;
const cappedMs = 3_600_000;

const refused = (reason: string): Answer => ({ outcome: 'refused', reason, retryInSeconds: null });
const waits = (reason: string, ms: number): Answer => ({
  outcome: 'waits',
  reason,
  retryInSeconds: Math.ceil(ms / 1000),
});

/** Sends the mail of an invitation now. */
export const sendInvitation = (deps: SendDeps, question: Question): Promise<Answer> =>
  sendOwnMail(deps, question, createInvitationMail(question));

/** Mails an admin now that a rule withdrew a release. */
export const sendWithdrawal = (
  deps: SendDeps,
  question: z.output<typeof sendWithdrawalMail.request>,
): Promise<Answer> => sendOwnMail(deps, question, createWithdrawalMail(question));

type Address = Pick<Question, 'tenantId' | 'mailId' | 'email'>;
type Words = ReturnType<typeof createInvitationMail>;

/**
 * Sends a mail with a link now, and stores nothing of it: the requesting service retries. The mail counts for the daily
 * limit of the tenant on the installation's account, and for the limits on links to an address from all tenants.
 */
async function sendOwnMail(deps: SendDeps, address: Address, words: Words): Promise<Answer> {
  const { apiKey, domain } = deps.mailerAccount;
  if (!apiKey || !domain)
    return refused('this installation sends no mail of its own: MAILER_API_KEY or MAILER_DOMAIN is not set');
  const { tenantId, email } = address;
  const from = `no-reply@${domain}`;
  if (!isInvitable(email, from)) return refused('mail to this address reaches no person');
  const objection = await withTenant(deps.database, [tenantId], async (tx) => {
    if (await isBounced(tx, tenantId, email)) return refused('mail to this address bounced');
    const full = await whyTenantWaits(deps, tx, tenantId);
    if (full) return waits(full.reason, full.waitMs);
    if (!(await countLink(tx, limitsOfTenant(tenantId, email))))
      return waits('this address or this tenant has reached its limit of links', cappedMs);
    await addToDayCounts(tx, { tenantId, botId: null });
    return undefined;
  });
  if (objection) return objection;
  const signal = AbortSignal.timeout(sendTimeoutMs);
  return toAnswer(deps, await deps.mailer.send({ apiKey, domain }, toMail(from, address, words), { signal }));
}

function toMail(from: string, { mailId, email }: Address, { subject, text, language }: Words): OutgoingMail {
  return {
    from,
    to: email,
    subject,
    text,
    headers: {
      'Message-Id': `<${messageIdOfMail(mailId, from)}>`,
      'Content-Language': language,
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
  };
}

function toAnswer({ log }: Pick<Deps, 'log'>, result: MailResult): Answer {
  switch (result.outcome) {
    case 'ok':
      return { outcome: 'sent', reason: null, retryInSeconds: null };
    case 'refused':
      return refused(result.reason);
    case 'limited':
      return waits('the mailer asks to wait', result.retryAfterMs);
    case 'closed':
      log.error({ reason: result.reason }, 'could not send a mail of the installation');
      return waits(result.reason, keptForMs);
    case 'failed':
      return result.unclear
        ? { outcome: 'uncertain', reason: result.reason, retryInSeconds: null }
        : waits(result.reason, retryMs);
  }
}
