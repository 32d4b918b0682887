import type { TenantTx } from '@botyard/shared/db/database';

/** Which of these chats, groups and bots are the tenant's, and of which bot. */
export async function listPlaces(
  tx: TenantTx,
  tenantId: string,
  wanted: { botIds: readonly string[]; chatIds: readonly string[]; groupIds: readonly string[] },
): Promise<{ id: string; botId: string }[]> {
  return await tx.query<{ id: string; botId: string }>({
    name: 'agents.apps.places',
    text: `select bot_id as id, bot_id as "botId" from agents.bots
        where tenant_id = $1 and bot_id = any ($2::uuid[]) and deleted_at is null
      union all select chat_id, bot_id from agents.conversations where tenant_id = $1 and chat_id = any ($3::uuid[])
      union all select group_id, bot_id from agents.bot_groups where tenant_id = $1 and group_id = any ($4::uuid[])`,
    values: [tenantId, [...wanted.botIds], [...wanted.chatIds], [...wanted.groupIds]],
  });
}
