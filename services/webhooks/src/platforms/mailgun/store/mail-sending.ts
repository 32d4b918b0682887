import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { type Allotment, allotmentValues, fairQueue } from '@botyard/shared/work/fair-scheduler';
import {
  type Claimer,
  claimerValues,
  isFreeToClaim,
  newFence,
} from '../../../delivery/store/sender-processes.ts';

/** A mail that this worker holds. Every claim has a `fence` of its own: a write that carries another one is refused. */
export interface ClaimedMail {
  tenantId: string;
  mailId: string;
  threadId: string;
  botId: string;
  fence: number;
}

export interface WaitingMail {
  messageId: string;
  inReplyTo: string | null;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  replyId: string | null;
  attempts: number;
  /** Sends that were begun before, and those of them that may have reached the mailer. */
  sends: number;
  openSends: number;
  /** An earlier send of it was begun and never settled. */
  wasBegun: boolean;
  /** It has taken its place in what the installation's account sends in a day. */
  isCounted: boolean;
  ageMs: number;
  /** The trace that its reply was made in. */
  traceparent: string | null;
}

/** While its process lives nobody takes a mail over when this is over, but that process itself. */
const leaseSeconds = 8;

interface ClaimedRow extends Record<string, unknown> {
  tenant_id: string;
  mail_id: string;
  thread_id: string;
  bot_id: string;
  fence: string;
}

const { fair, lone } = fairQueue({
  table: 'webhooks.mails',
  key: 'tenant_id, mail_id',
  isFree: isFreeToClaim('q.mail_id::text'),
});

const claimText = (owner: string) => `update webhooks.mails m
  set lease_until = now() + make_interval(secs => ${leaseSeconds}), owner = ${owner}, fence = ${newFence}
  from due where m.tenant_id = due.tenant_id and m.mail_id = due.mail_id
  returning m.tenant_id, m.mail_id, m.thread_id, m.bot_id, m.fence`;

/** Takes mails that are ready, of each thread its first: tenants in turn, of each those that wait longest. */
export async function claimMails(
  tx: PlatformTx,
  allotment: Allotment,
  claimer: Claimer,
): Promise<ClaimedMail[]> {
  const values = [...allotmentValues(allotment), ...claimerValues(claimer)];
  const text = `${fair} ${claimText('$6')}`;
  return toClaimed(await tx.query<ClaimedRow>({ name: 'webhooks.mails.claim', text, values }));
}

/** Takes more mails of the only tenant that waits; nothing while several do. */
export async function claimMailsOfLone(
  tx: PlatformTx,
  limit: number,
  claimer: Claimer,
): Promise<ClaimedMail[]> {
  const values = [limit, ...claimerValues(claimer)];
  const text = `${lone} ${claimText('$2')}`;
  return toClaimed(await tx.query<ClaimedRow>({ name: 'webhooks.mails.claim_lone', text, values }));
}

const toClaimed = (rows: readonly ClaimedRow[]): ClaimedMail[] =>
  rows.map((row) => ({
    tenantId: row.tenant_id,
    mailId: row.mail_id,
    threadId: row.thread_id,
    botId: row.bot_id,
    fence: Number(row.fence),
  }));

const keyOf = ({ tenantId, mailId, fence }: ClaimedMail) => [tenantId, mailId, fence];

/** Renews the lease and locks the mail for this transaction; `undefined` when it was lost to another worker. */
export async function lockMail(tx: TenantTx, mail: ClaimedMail): Promise<WaitingMail | undefined> {
  const [row] = await tx.query<WaitingMail & { state: string } & Record<string, unknown>>({
    name: 'webhooks.mails.lock',
    text: `update webhooks.mails set lease_until = now() + make_interval(secs => ${leaseSeconds})
           where tenant_id = $1 and mail_id = $2 and fence = $3 and state in ('queued', 'sending')
           returning message_id as "messageId", in_reply_to as "inReplyTo", recipient, subject, text, html,
             reply_id as "replyId", attempts, sends, open_sends as "openSends", is_counted as "isCounted", state, (extract(epoch from now() - created_at) * 1000)::float8 as "ageMs",
             (select r.traceparent from webhooks.replies r
              where r.tenant_id = mails.tenant_id and r.reply_id = mails.reply_id) as traceparent`,
    values: keyOf(mail),
  });
  if (!row) return undefined;
  const { state, ...waiting } = row;
  return { ...waiting, wasBegun: state === 'sending' };
}

/** Sends of a mail that may have arrived. One that was begun and not made (`wasSent`) is none. */
export const openSendsOf = (
  { wasBegun, openSends }: Pick<WaitingMail, 'wasBegun' | 'openSends'>,
  { wasSent }: { wasSent: boolean },
): number => (wasBegun ? Math.max(1, openSends) - (wasSent ? 0 : 1) : openSends);

/** Counts a send before it is made: after a crash it is uncertain whether the mail arrived. */
export async function beginMail(
  tx: TenantTx,
  mail: ClaimedMail,
  { waiting, wasSent, isCounted }: { waiting: WaitingMail; wasSent: boolean; isCounted: boolean },
): Promise<void> {
  await tx.query({
    name: 'webhooks.mails.begin',
    text: `update webhooks.mails set state = 'sending', is_uncertain = is_uncertain or $4, is_counted = is_counted or $5,
             sends = $6, open_sends = $7
           where tenant_id = $1 and mail_id = $2 and fence = $3`,
    values: [
      ...[...keyOf(mail), wasSent, isCounted, waiting.sends + 1],
      openSendsOf(waiting, { wasSent }) + 1,
    ],
  });
}

export interface MailOutcome {
  state: 'queued' | 'sent' | 'failed';
  reason?: string | undefined;
  /** Nobody knows whether the send arrived. */
  isUnclear?: boolean | undefined;
  /** The attempt counts towards the last one; waiting for the mailer's pace or for a setting does not. */
  isAttempt?: boolean | undefined;
  /** Of a `queued` one: for how long it waits. */
  waitMs?: number | undefined;
}

export interface SettledMail {
  replyId: string | null;
  messageId: string;
  isUncertain: boolean;
}

/** Writes down what became of a mail that was not sent, and gives it back; `undefined` when it was lost to another worker. */
export async function settleMail(
  tx: TenantTx,
  mail: ClaimedMail,
  outcome: MailOutcome,
): Promise<SettledMail | undefined> {
  const [row] = await tx.query<SettledMail & Record<string, unknown>>({
    name: 'webhooks.mails.settle',
    text: `update webhooks.mails set state = $4, reason = $5, attempts = attempts + $6, lease_until = null,
             ready_at = case when $4 = 'queued' then now() + make_interval(secs => $7::float8 / 1000) end
           where tenant_id = $1 and mail_id = $2 and fence = $3 and state in ('queued', 'sending')
           returning reply_id as "replyId", message_id as "messageId", is_uncertain as "isUncertain"`,
    values: [
      ...keyOf(mail),
      outcome.state,
      outcome.reason ?? null,
      outcome.isAttempt ? 1 : 0,
      outcome.waitMs ?? 0,
    ],
  });
  return row;
}

/** What is known of one send of a mail. */
export interface MailSend {
  tenantId: string;
  mailId: string;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  outcome: MailOutcome;
}

/**
 * Writes what became of a send, and gives the mail back. It needs no lease, as of a part: `undefined` when it was written
 * before, or when a later send was begun. `isAlone`: nothing that follows from it is in this transaction.
 */
export async function saveMailOutcome(
  tx: TenantTx,
  { tenantId, mailId, send, outcome }: MailSend,
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<SettledMail | undefined> {
  const { state, reason, isUnclear = false, isAttempt = false, waitMs = 0 } = outcome;
  const mayHaveArrived = isUnclear || state === 'sent';
  const [row] = await tx.query<SettledMail & Record<string, unknown>>({
    name: 'webhooks.mails.save_outcome',
    text: `update webhooks.mails set state = $4, reason = $5, is_uncertain = is_uncertain or $6, attempts = attempts + $7,
             open_sends = open_sends - $8, is_unannounced = $9, lease_until = null,
             sent_at = case when $4 = 'sent' then now() end,
             ready_at = case when $4 = 'queued' then now() + make_interval(secs => $10::float8 / 1000) end
           where tenant_id = $1 and mail_id = $2 and sends = $3 and state = 'sending'
           returning reply_id as "replyId", message_id as "messageId", is_uncertain as "isUncertain"`,
    values: [
      ...[tenantId, mailId, send, state, reason ?? null, isUnclear, isAttempt ? 1 : 0],
      ...[mayHaveArrived ? 0 : 1, isAlone && state !== 'queued', waitMs],
    ],
  });
  return row;
}

/** A mail of ours is a part of its thread from now on. The first one stays: programs thread by it. */
export async function addReference(
  tx: TenantTx,
  { tenantId, threadId }: { tenantId: string; threadId: string },
  messageId: string,
): Promise<void> {
  await tx.query({
    name: 'webhooks.mail_threads.add_reference',
    text: `update webhooks.mail_threads t set "references" =
             case when cardinality(t."references") < ${maxReferences} then t."references" || $3::text
               else t."references"[1:1] || t."references"[3:] || $3::text end
           where tenant_id = $1 and thread_id = $2 and not ($3 = any (t."references"))`,
    values: [tenantId, threadId, messageId],
  });
}

const maxReferences = 100;
