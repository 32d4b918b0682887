import { groupSaved } from '@botyard/contracts/events/agents';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import type { GroupRow } from '../store/groups.ts';

/** The webhooks service has to know how a bot behaves in a group: it hands over what the bot answers there. */
export async function announceGroup(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, botId, platformChatId, answersWhen, topics, revision }: GroupRow,
): Promise<void> {
  await outbox.emit(tx, groupSaved, { tenantId, botId, platformChatId, answersWhen, topics, revision });
}
