import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../../deps.ts';
import {
  addReference,
  type ClaimedMail,
  type MailOutcome,
  settleMail,
} from '../../../store/email/mail-sending.ts';
import { readyFirstMails } from '../../../store/email/outgoing.ts';
import { lockOpenReply } from '../../../store/replies.ts';
import { endReply } from '../../chats/settle-reply.ts';

type SettleDeps = Pick<Deps, 'outbox' | 'wakeMailSender'>;

/**
 * Writes down what a send came to, announces the reply when that is its end, and lets the thread's next mail go. The thread
 * is locked. `undefined` when the mail was lost to another worker: then nothing is written.
 */
export async function settleOutgoingMail(
  deps: SettleDeps,
  tx: TenantTx,
  { mail, outcome }: { mail: ClaimedMail; outcome: MailOutcome },
): Promise<'settled' | undefined> {
  const settled = await settleMail(tx, mail, outcome);
  if (!settled) return undefined;
  if (outcome.state === 'queued') return 'settled';
  if (outcome.state === 'sent') await addReference(tx, mail, settled.messageId);
  const { state, reason } = outcome;
  await endMail(deps, tx, { ...mail, ...settled, state, reason });
  return 'settled';
}

export interface EndedMail {
  tenantId: string;
  threadId: string;
  messageId: string;
  replyId: string | null;
  state: 'sent' | 'failed';
  reason?: string | undefined;
  isUncertain: boolean;
}

/** Announces the mail's reply, if it is one of which nothing was announced, and makes the next mail of its thread ready. */
export async function endMail(
  deps: SettleDeps,
  tx: TenantTx,
  { tenantId, threadId, messageId, replyId, state, reason, isUncertain }: EndedMail,
): Promise<void> {
  const reply = replyId ? await lockOpenReply(tx, tenantId, replyId) : undefined;
  if (reply)
    await endReply(deps, tx, reply, {
      ...{ state, isUncertain },
      platformMessageIds: state === 'sent' ? [messageId] : [],
      ...(reason === undefined ? {} : { lastError: reason }),
    });
  await readyFirstMails(tx, tenantId, [threadId]);
  tx.afterCommit(deps.wakeMailSender);
}
