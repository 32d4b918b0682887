import { countOf, number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

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

/** Counts of a tenant's definitions, and of missing agents that its bots refer to. */
export const countRegistry = preparedStatement({
  name: 'agents.registry.count',
  text: typedSql`select ${counts}`,
  values: (tenantId: string) => [tenantId],
  result: ([row]) => row!,
});
