import { replyReported } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { announceEnded } from '../../../../delivery/domain/announce-replies.ts';
import type { Deps } from '../../deps.ts';
import { deleteBounce } from '../../store/bounce-list.ts';
import { findBouncedMail, insertBouncedAddress, listBounced, saveBounced } from '../../store/bounces.ts';
import { giveUpPart } from '../../store/mail-queue.ts';
import { lockMailThreads } from '../../store/outgoing.ts';
import { headerText } from './header-text.ts';

export interface Bounce {
  tenantId: string;
  botId: string;
  address?: string;
  /** Message-Id of the bounced mail, without angle brackets. */
  messageId?: string;
  reason: string;
}

const maxReasonUnits = 300;

/**
 * Marks a mail and its recipient as bounced: nothing more is sent to that address until a mail arrives from it. The
 * inbox shows the reply as failed, with the reason.
 *
 * A notice can be forged. So it only counts for a mail that this bot has sent, found by its Message-Id or else as the
 * newest one of the last week to the named address, and the recipient is read from that mail.
 */
export async function noteBounce(
  deps: Pick<Deps, 'outbox' | 'wakeSender'>,
  tx: TenantTx,
  bounce: Bounce,
): Promise<void> {
  const { tenantId, botId, messageId } = bounce;
  const address = bounce.address?.toLowerCase();
  if (!messageId && !address) return;
  const mail = await findBouncedMail(tx, { tenantId, botId, messageId, address });
  if (!mail) return;
  const reason = withoutSecrets(headerText(bounce.reason, maxReasonUnits)) || 'the mail came back';
  const { mailId, threadId, conversationId, recipient, isSent } = mail;
  await lockMailThreads(tx, tenantId, [threadId]);
  const bounced = await saveBounced(tx, { tenantId, mailId, reason });
  await insertBouncedAddress(tx, { tenantId, address: recipient, reason, mailId });
  await giveUpPart(tx, { tenantId, mailId, reason });
  const replyId = bounced?.replyId;
  const happenedAt = new Date().toISOString();
  if (replyId) await announceEnded(deps, tx, [{ tenantId, replyId }]);
  // Its end was announced before.
  if (replyId && isSent)
    await deps.outbox.emit(tx, replyReported, {
      tenantId,
      botId,
      conversationId,
      replyId,
      state: 'failed',
      reason,
      happenedAt,
    });
  tx.afterCommit(() => deps.wakeSender('email'));
}

/** True when mail to this address bounced and no mail has come from it since. */
export async function isBounced(tx: TenantTx, tenantId: string, address: string): Promise<boolean> {
  return (await listBounced(tx, tenantId, [address.toLowerCase()])).size > 0;
}

/** Allows mail to this address again, because a mail arrived from it. */
export async function liftBounce(tx: TenantTx, tenantId: string, address: string): Promise<void> {
  await deleteBounce(tx, { tenantId, address: address.toLowerCase() });
}
