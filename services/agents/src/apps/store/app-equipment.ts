import type { TenantTx } from '@botyard/shared/db/database';
import { allOf } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import {
  type AgentEquipmentRow,
  equippedCapability,
  equippedTool,
} from '../../definitions/store/agent-equipment.ts';

const equipmentText = typedSql`select ${columns({
  tools: allOf(
    equippedTool,
    `from agents.tool_definitions t where t.tenant_id = $1 and t.id in (
      select unnest(c.tool_ids) from agents.capability_definitions c
      where c.tenant_id = $1 and c.id = any ($2::uuid[]))`,
  ),
  capabilities: allOf(
    equippedCapability,
    `from unnest($2::uuid[]) with ordinality as own (id, place)
     join agents.capability_definitions c on c.tenant_id = $1 and c.id = own.id`,
    'own.place',
  ),
})}`;

/** Capabilities in this order, with their tools. */
export async function getCapabilityEquipment(
  tx: TenantTx,
  tenantId: string,
  capabilityIds: readonly string[],
): Promise<AgentEquipmentRow> {
  return await tx.one({
    name: 'agents.apps.capabilities',
    text: equipmentText,
    values: [tenantId, [...capabilityIds]],
  });
}
