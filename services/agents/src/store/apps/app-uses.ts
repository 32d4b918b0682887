import type { TenantTx } from '@botyard/shared/db/database';

/** Apps whose running version refers to an agent or a capability, 50 at most. */
export async function listAppsUsing(
  tx: TenantTx,
  tenantId: string,
  part: { agentId: string } | { capabilityId: string },
): Promise<{ appId: string; name: string }[]> {
  const isAgent = 'agentId' in part;
  return await tx.query<{ appId: string; name: string }>({
    name: isAgent ? 'agents.apps.using-agent' : 'agents.apps.using-capability',
    text: `select a.app_id as "appId", a.name from agents.apps a
      join agents.app_versions v on v.tenant_id = a.tenant_id and v.app_id = a.app_id and v.version = a.current_version
      where a.tenant_id = $1 and $2 = any (v.${isAgent ? 'agent_ids' : 'capability_ids'})
      order by a.app_id desc limit 50`,
    values: [tenantId, isAgent ? part.agentId : part.capabilityId],
  });
}

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
