import type { TenantTx } from '@botyard/shared/db/database';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Cause } from '../../models/domain/cause.ts';
import { hasRecentNotice } from '../store/answered.ts';

/** Lasting causes: a chat gets their notice once an hour, and further messages end without a reply (REQ-CHAT-4). */
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
