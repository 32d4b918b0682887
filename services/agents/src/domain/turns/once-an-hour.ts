import type { TenantTx } from '@botyard/shared/db/database';
import { wasToldLately } from '../../store/chats/told.ts';
import type { ClaimedConversation } from '../../store/claimed-conversation.ts';
import type { Cause } from '../answers/cause.ts';

/** Causes that last: a chat is told of them once in an hour, then its messages are ended in silence (P0 4). */
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
