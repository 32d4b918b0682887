import type { DataOf } from '@botyard/shared/bus/definition';
import type { TenantTx } from '@botyard/shared/db/database';
import type { chatMigrated } from '@botyard/shared/events/webhooks';
import { adoptInterim, movePlace } from '../../store/chats/moved-chats.ts';

/**
 * A group became a supergroup: history, agent and order go on there, since the conversation stays the same one. Where nothing was
 * said in the old group, there is nothing to go on with.
 */
export async function moveChat(tx: TenantTx, migration: DataOf<typeof chatMigrated>): Promise<void> {
  if (await movePlace(tx, migration)) await adoptInterim(tx, migration);
}
