import type { ToolKind } from '@botyard/contracts/http/tool-kinds';
import type { TenantTx } from '@botyard/shared/db/database';
import type { AgentDefinitionRow } from './agent-definitions.ts';

export interface EquippedToolRow {
  id: string;
  name: string;
  description: string;
  kind: ToolKind;
  settings: Record<string, unknown>;
}

/** The tools of an agent and of its capabilities, in no order; its capabilities, in the agent's. */
export interface AgentEquipmentRow {
  tools: EquippedToolRow[];
  capabilities: { id: string; name: string; instructions: string; keywords: string[]; toolIds: string[] }[];
}

/** An agent with what it works with; `null` when that is nothing. */
export type AgentAtWork = AgentDefinitionRow & { equipment: AgentEquipmentRow | null };

/** A column of a query over `agents.agent_definitions d`. An agent without tools and capabilities costs no look. */
const equipmentColumn = `case when d.tool_ids <> '{}' or d.capability_ids <> '{}' then json_build_object(
    'tools', (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'description', t.description,
        'kind', t.kind, 'settings', t.settings)), '[]')
      from agents.tool_definitions t where t.tenant_id = d.tenant_id and t.id in (
        select unnest(d.tool_ids) union
        select unnest(c.tool_ids) from agents.capability_definitions c
        where c.tenant_id = d.tenant_id and c.id = any (d.capability_ids))),
    'capabilities', (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name,
        'instructions', c.instructions, 'keywords', c.keywords, 'toolIds', c.tool_ids) order by own.place), '[]')
      from unnest(d.capability_ids) with ordinality as own (id, place)
      join agents.capability_definitions c on c.tenant_id = d.tenant_id and c.id = own.id)
  ) end as equipment`;

/** The columns of an agent at work, in a query over `agents.agent_definitions d`. */
export const agentAtWorkColumns = `d.tenant_id as "tenantId", d.id, d.name, d.description, d.instructions, d.provider, d.model,
    d.keywords, d.tool_ids as "toolIds", d.capability_ids as "capabilityIds", d.is_enabled as "isEnabled",
    d.keeps_summary as "keepsSummary", d.model_settings as "modelSettings", d.version, d.copied_from as "copiedFrom", d.created_at as "createdAt", d.updated_at as "updatedAt",
    ${equipmentColumn}`;

/** What an agent of the tenant would work with that had these tools and capabilities. */
export async function getEquipment(
  tx: TenantTx,
  { tenantId, toolIds, capabilityIds }: Pick<AgentDefinitionRow, 'tenantId' | 'toolIds' | 'capabilityIds'>,
): Promise<AgentEquipmentRow | null> {
  const [row] = await tx.query<{ equipment: AgentEquipmentRow | null }>({
    name: 'agents.definitions.equipment',
    text: `select ${equipmentColumn}
      from (select $1::uuid as tenant_id, $2::uuid[] as tool_ids, $3::uuid[] as capability_ids) d`,
    values: [tenantId, toolIds, capabilityIds],
  });
  return row?.equipment ?? null;
}

export async function getAgentAtWork(
  tx: TenantTx,
  tenantId: string,
  id: string,
): Promise<AgentAtWork | undefined> {
  const [row] = await tx.query<AgentAtWork>({
    name: 'agents.definitions.at-work',
    text: `select ${agentAtWorkColumns} from agents.agent_definitions d where d.tenant_id = $1 and d.id = $2`,
    values: [tenantId, id],
  });
  return row;
}
