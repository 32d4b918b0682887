import type { TenantTx } from '@botyard/shared/db/database';
import { endReplies } from '../../../../delivery/domain/chats/settle-reply.ts';
import { lockOpenReply } from '../../../../delivery/store/replies.ts';
import type { Deps } from '../../../../deps.ts';
import {
  addReference,
  type ClaimedMail,
  type MailOutcome,
  saveMailOutcome,
  settleMail,
} from '../../store/mail-sending.ts';
import { readyFirstMails } from '../../store/outgoing.ts';

type SettleDeps = Pick<Deps, 'outbox' | 'wakeMailSender'>;

/**
 * Writes down what became of a mail, announces the reply when that is its end, and lets the thread's next mail go. The thread
 * is locked. `send` is the number of the send, when there was one. `undefined` when the mail was lost, or the outcome known.
 */
export async function settleOutgoingMail(
  deps: SettleDeps,
  tx: TenantTx,
  { mail, outcome, send }: { mail: ClaimedMail; outcome: MailOutcome; send?: number },
): Promise<'settled' | undefined> {
  const settled =
    send === undefined
      ? await settleMail(tx, mail, outcome)
      : await saveMailOutcome(tx, { ...mail, send, outcome });
  if (!settled) return undefined;
  const { state, reason } = outcome;
  if (state !== 'queued') await endSettledMail(deps, tx, { ...mail, ...settled, state, reason });
  return 'settled';
}

/** What follows from the end of a mail, sent or given up. The thread is locked. */
export async function endSettledMail(
  deps: SettleDeps,
  tx: TenantTx,
  mail: EndedMail & { mailId: string },
): Promise<void> {
  if (mail.state === 'sent') await addReference(tx, mail, mail.messageId);
  await endMail(deps, tx, mail);
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
    await endReplies(deps, tx, [
      {
        ...{ ...reply, state, isUncertain },
        platformMessageIds: state === 'sent' ? [messageId] : [],
        ...(reason === undefined ? {} : { lastError: reason }),
      },
    ]);
  await readyFirstMails(tx, tenantId, [threadId]);
  tx.afterCommit(deps.wakeMailSender);
}
