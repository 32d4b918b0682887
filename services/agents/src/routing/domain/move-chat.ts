import type { DataOf } from '@botyard/contracts/events/definition';
import type { chatMigrated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { adoptInterim, movePlace } from '../../conversations/store/moved-chats.ts';
import type { Deps } from '../../deps.ts';
import { moveGroup } from '../store/moved-groups.ts';
import { announceGroup } from './announce-group.ts';

/**
 * A group became a supergroup: history, agent and order go on there, since the conversation stays the same one, and so
 * does how the bot behaves in it. Where nothing was said in the old group, there is nothing to go on with.
 */
export async function moveChat(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  migration: DataOf<typeof chatMigrated>,
): Promise<void> {
  if (await movePlace(tx, migration)) await adoptInterim(tx, migration);
  const group = await moveGroup(tx, migration);
  if (group) await announceGroup(deps, tx, group);
}
