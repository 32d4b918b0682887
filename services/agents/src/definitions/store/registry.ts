import type { TenantTx } from '@botyard/shared/db/database';
import { countOf, number } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';

const counts = columns({
  agents: countOf('from agents.agent_definitions where tenant_id = $1'),
  enabled: countOf('from agents.agent_definitions where tenant_id = $1 and is_enabled'),
  capabilities: countOf('from agents.capability_definitions where tenant_id = $1'),
  bots: countOf('from agents.bots where tenant_id = $1 and deleted_at is null'),
  missingAgents: number(`(select count(distinct wanted.id)
    from agents.bots b cross join unnest(b.agent_ids) as wanted (id)
    where b.tenant_id = $1 and b.deleted_at is null and not exists (select from agents.agent_definitions d
      where d.tenant_id = $1 and d.id = wanted.id))`),
});
type RegistryCounts = RowOf<typeof counts>;

/** Counts of a tenant's definitions, and of missing agents that its bots refer to. */
export async function countRegistry(tx: TenantTx, tenantId: string): Promise<RegistryCounts> {
  return await tx.one({
    name: 'agents.registry.count',
    text: typedSql`select ${counts}`,
    values: [tenantId],
  });
}
