import type { DefinitionsHealth } from '@botyard/contracts/http/definitions-marketplace';
import type { TenantTx } from '@botyard/shared/db/database';
import { countOf, oneOf, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

type Problem = DefinitionsHealth['problems'][number];

/** Dangling references from `$ids` of `$table` to the identifiers of `$target`. */
const dangling = (from: {
  kind: Problem['kind'];
  table: string;
  ids: string;
  target: string;
  what: string;
}) =>
  `select '${from.kind}' as kind, d.id, d.name, 'refers to ${from.what} that no longer exists' as problem
   from agents.${from.table} d where d.tenant_id = $1 and exists (select from unnest(${from.ids}) wanted
     where not exists (select from agents.${from.target} t where t.tenant_id = $1 and t.id = wanted))`;

const danglingText = [
  {
    kind: 'agent',
    table: 'agent_definitions',
    ids: 'd.tool_ids',
    target: 'tool_definitions',
    what: 'a tool',
  },
  {
    kind: 'agent',
    table: 'agent_definitions',
    ids: 'd.capability_ids',
    target: 'capability_definitions',
    what: 'a capability',
  },
  {
    kind: 'capability',
    table: 'capability_definitions',
    ids: 'd.tool_ids',
    target: 'tool_definitions',
    what: 'a tool',
  },
] as const;

const botsText = `select 'bot' as kind, b.bot_id as id, b.name, 'refers to an agent that no longer exists' as problem
  from agents.bots b where b.tenant_id = $1 and b.deleted_at is null and exists (select from unnest(b.agent_ids) wanted
    where not exists (select from agents.agent_definitions d where d.tenant_id = $1 and d.id = wanted))`;

const problem = columns({
  kind: oneOf(['agent', 'capability', 'bot'], 'kind'),
  id: text('id'),
  name: text('name'),
  problem: text('problem'),
});

/** Definitions with dangling references. */
export async function listDangling(tx: TenantTx, tenantId: string, most: number): Promise<Problem[]> {
  const parts = [...danglingText.map(dangling), botsText];
  return await tx.query({
    name: 'agents.definitions.dangling',
    text: typedSql`select ${problem} from (${parts.join(' union all ')}) as found limit $2`,
    values: [tenantId, most],
  });
}

const counts = columns({
  agents: countOf('from agents.agent_definitions where tenant_id = $1'),
  capabilities: countOf('from agents.capability_definitions where tenant_id = $1'),
  tools: countOf('from agents.tool_definitions where tenant_id = $1'),
  published: countOf('from agents.publications where tenant_id = $1 and withdrawn_at is null'),
});

export const countEverything = preparedStatement({
  name: 'agents.definitions.counts',
  text: typedSql`select ${counts}`,
  values: (tenantId: string) => [tenantId],
  result: ([row]) => row!,
});
