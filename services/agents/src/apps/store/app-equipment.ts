import type { TenantTx } from '@botyard/shared/db/database';
import type { AgentEquipmentRow } from '../../definitions/store/agent-equipment.ts';

/** Capabilities in this order, with their tools. */
export async function getCapabilityEquipment(
  tx: TenantTx,
  tenantId: string,
  capabilityIds: readonly string[],
): Promise<AgentEquipmentRow> {
  const [row] = await tx.query<AgentEquipmentRow & Record<string, unknown>>({
    name: 'agents.apps.capabilities',
    text: `select
        (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'description', t.description,
            'kind', t.kind, 'settings', t.settings)), '[]')
          from agents.tool_definitions t where t.tenant_id = $1 and t.id in (
            select unnest(c.tool_ids) from agents.capability_definitions c
            where c.tenant_id = $1 and c.id = any ($2::uuid[]))) as tools,
        (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'instructions', c.instructions,
            'keywords', c.keywords, 'toolIds', c.tool_ids) order by own.place), '[]')
          from unnest($2::uuid[]) with ordinality as own (id, place)
          join agents.capability_definitions c on c.tenant_id = $1 and c.id = own.id) as capabilities`,
    values: [tenantId, [...capabilityIds]],
  });
  return row!;
}
