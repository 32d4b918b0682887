import type { TenantTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { bots } from '../../store/schema.ts';

/** Which of these chats, groups and bots are the tenant's, and of which bot. */
export async function listPlaces(
  tx: TenantTx,
  tenantId: string,
  wanted: { botIds: readonly string[]; chatIds: readonly string[]; groupIds: readonly string[] },
): Promise<{ id: string; botId: string }[]> {
  return await tx.query({
    name: 'agents.apps.places',
    text: typedSql`select ${columns({ id: bots.botId, botId: bots.botId })} from agents.bots
        where tenant_id = $1 and bot_id = any ($2::uuid[]) and deleted_at is null
      union all select chat_id, bot_id from agents.conversations where tenant_id = $1 and chat_id = any ($3::uuid[])
      union all select group_id, bot_id from agents.bot_groups where tenant_id = $1 and group_id = any ($4::uuid[])`,
    values: [tenantId, [...wanted.botIds], [...wanted.chatIds], [...wanted.groupIds]],
  });
}
