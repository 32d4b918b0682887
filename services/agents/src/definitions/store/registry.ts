import type { TenantTx } from '@botyard/shared/db/database';

export interface RegistryCounts extends Record<string, unknown> {
  agents: number;
  enabled: number;
  capabilities: number;
  bots: number;
  missingAgents: number;
}

/** What there is in a tenant, and how many agents its bots refer to in vain. */
export async function countRegistry(tx: TenantTx, tenantId: string): Promise<RegistryCounts> {
  const [row] = await tx.query<RegistryCounts>({
    name: 'agents.registry.count',
    text: `select (select count(*)::int from agents.agent_definitions where tenant_id = $1) as agents,
             (select count(*)::int from agents.agent_definitions where tenant_id = $1 and is_enabled) as enabled,
             (select count(*)::int from agents.capability_definitions where tenant_id = $1) as capabilities,
             (select count(*)::int from agents.bots where tenant_id = $1 and deleted_at is null) as bots,
             (select count(distinct wanted.id)::int from agents.bots b cross join unnest(b.agent_ids) as wanted (id)
               where b.tenant_id = $1 and b.deleted_at is null and not exists (select from agents.agent_definitions d
                 where d.tenant_id = $1 and d.id = wanted.id)) as "missingAgents"`,
    values: [tenantId],
  });
  return row!;
}
