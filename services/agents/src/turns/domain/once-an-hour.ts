import type { TenantTx } from '@botyard/shared/db/database';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { wasToldLately } from '../../conversations/store/told.ts';
import type { Cause } from '../../models/domain/cause.ts';

/** Causes that last: a chat is told of them once in an hour, then its messages are ended in silence (REQ-CHAT-4). */
const toldOnceAnHour: ReadonlySet<Cause | null> = new Set<Cause>([
  'quota exhausted',
  'allowance used up',
  'private chat not granted',
]);

export async function isToldAlready(
  tx: TenantTx,
  conversation: ClaimedConversation,
  failure: Cause | null,
): Promise<boolean> {
  if (failure === null || !toldOnceAnHour.has(failure)) return false;
  return await wasToldLately(tx, conversation, failure);
}
