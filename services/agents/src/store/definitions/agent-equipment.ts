import type { ToolKind } from '@botyard/shared/contracts/tool-kinds';
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
export const equipmentColumn = `case when d.tool_ids <> '{}' or d.capability_ids <> '{}' then json_build_object(
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
