import type { TenantTx } from '@botyard/shared/db/database';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Cause } from '../../models/domain/cause.ts';
import { hasRecentNotice } from '../store/answered.ts';

/** Causes that last: a chat is told of them once in an hour, then its messages are ended in silence (REQ-CHAT-4). */
const noticesOncePerHour: ReadonlySet<Cause | null> = new Set<Cause>([
  'quota exhausted',
  'allowance used up',
  'private chat not granted',
]);

export async function isRepeatedNotice(
  tx: TenantTx,
  conversation: ClaimedConversation,
  failure: Cause | null,
): Promise<boolean> {
  if (failure === null || !noticesOncePerHour.has(failure)) return false;
  return await hasRecentNotice(tx, conversation, failure);
}
