import type { TenantTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { allOf, one, orNull, rowByKey, shape } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import {
  agentDefinitions,
  agentVersions,
  capabilityDefinitions,
  toolDefinitions,
} from '../../store/definitions-schema.ts';
import { agentReleases } from '../../store/releases-schema.ts';
import type { AgentDefinitionRow } from './agent-definitions.ts';

const t = alias(toolDefinitions, 't');
const c = alias(capabilityDefinitions, 'c');
const equippedTool = shape(pick(t, 'id', 'name', 'description', 'kind', 'settings'));
const equippedCapability = shape(pick(c, 'id', 'name', 'instructions', 'keywords', 'toolIds'));
export type EquippedToolRow = RowOf<typeof equippedTool>;

const ownCapabilities = `unnest(d.capability_ids) with ordinality as own (id, place)
     cross join ${rowByKey('agents.capability_definitions', 'c', { tenant_id: 'd.tenant_id', id: 'own.id' })}`;

/** The tools of an agent and its capabilities, unordered, and its capabilities in the agent's order. */
const equipment = shape({
  tools: allOf(
    equippedTool,
    `from (select unnest(d.tool_ids) union select unnest(c.tool_ids) from ${ownCapabilities}) as used (id)
     cross join ${rowByKey('agents.tool_definitions', 't', { tenant_id: 'd.tenant_id', id: 'used.id' })}`,
  ),
  capabilities: allOf(equippedCapability, `from ${ownCapabilities}`, 'own.place'),
});
export type AgentEquipmentRow = RowOf<typeof equipment>;

/** For a query over `agents.agent_definitions d`. Agents without tools and capabilities cost no look-up. */
const equipmentOfAgent = orNull(
  one(equipment, `case when d.tool_ids <> '{}' or d.capability_ids <> '{}' then ${equipment} end`),
);

const r = alias(agentReleases, 'r');
const v = alias(agentVersions, 'v');
const candidate = shape({ ...pick(r, 'releaseId', 'share'), ...pick(v, 'version', 'content', 'parts') });

/** The candidate of the agent's running release. An agent without one costs no look-up. */
const candidateOfAgent = orNull(
  one(
    candidate,
    `case when d.release_id is not null then (select ${candidate}
      from agents.agent_releases r
      join agents.agent_versions v on v.tenant_id = r.tenant_id and v.agent_id = r.agent_id and v.version = r.version
      where r.tenant_id = d.tenant_id and r.release_id = d.release_id) end`,
  ),
);

/** An agent with its equipment, `null` if it has none: for a query over `agents.agent_definitions d`. */
export const agentAtWork = {
  ...getTableColumns(alias(agentDefinitions, 'd')),
  equipment: equipmentOfAgent,
  candidate: candidateOfAgent,
};
const agentAtWorkColumns = columns(agentAtWork);
export type AgentAtWork = RowOf<typeof agentAtWorkColumns>;

const equipmentText = typedSql`select ${columns({ equipment: equipmentOfAgent })}
  from (select $1::uuid as tenant_id, $2::uuid[] as tool_ids, $3::uuid[] as capability_ids) d`;
const atWorkText = typedSql`
  select ${agentAtWorkColumns} from agents.agent_definitions d where d.tenant_id = $1 and d.id = $2`;

/** The equipment that an agent of the tenant with these tools and capabilities has. */
export async function getEquipment(
  tx: TenantTx,
  { tenantId, toolIds, capabilityIds }: Pick<AgentDefinitionRow, 'tenantId' | 'toolIds' | 'capabilityIds'>,
): Promise<AgentEquipmentRow | null> {
  const [row] = await tx.query({
    name: 'agents.definitions.equipment',
    text: equipmentText,
    values: [tenantId, toolIds, capabilityIds],
  });
  return row?.equipment ?? null;
}

export const getAgentAtWork = preparedStatement({
  name: 'agents.definitions.at-work',
  text: atWorkText,
  values: (tenantId: string, id: string) => [tenantId, id],
  result: ([row]) => row,
});
