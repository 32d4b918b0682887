import { replyReported } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { unavailable } from '@botyard/shared/http/errors';
import { findConversationId } from '../../chats/domain/find-conversation.ts';
import type { ReadStatus } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { findSentReply } from '../store/sent-replies.ts';

/**
 * Announces what the platform reports about a message that the bot sent. It may report it before the end of the send is
 * stored: then it has to report it again. Resolves with the reason if the report is ignored. @throws HttpError 503.
 */
export async function applyStatus(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { endpoint, delivery: { status } }: { endpoint: Endpoint; delivery: { status: ReadStatus } },
): Promise<string | undefined> {
  const { tenantId, botId } = endpoint;
  const { platformMessageId, state, reason, happenedAt } = status;
  const conversationId = await findConversationId(tx, endpoint, status);
  const { replyId, isSending } = await findSentReply(tx, { tenantId, conversationId, platformMessageId });
  if (replyId === null) {
    if (isSending) throw unavailable('the message is being sent');
    return 'status of an unknown message';
  }
  await outbox.emit(tx, replyReported, {
    tenantId,
    botId,
    conversationId,
    replyId,
    state,
    happenedAt,
    ...(reason === undefined ? {} : { reason }),
  });
  return undefined;
}
