import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { isWithin } from '../../store/reach.ts';

/** The agent's tenant; none when the tenant was deleted. */
export async function findTenantOfAgent(tx: PlatformTx, agentId: string): Promise<string | undefined> {
  const { id, tenantId } = agentDefinitions;
  const [row] = await tx.db
    .select({ tenantId })
    .from(agentDefinitions)
    .where(and(eq(id, agentId), isWithin(tenantId, null)));
  return row?.tenantId;
}

/** `false` for an unknown one. Not a change of the definition, so its version stays. */
export async function setAgentEnabled(
  tx: TenantTx,
  { tenantId, agentId }: { tenantId: string; agentId: string },
  isEnabled: boolean,
): Promise<boolean> {
  const rows = await tx.db
    .update(agentDefinitions)
    .set({ isEnabled })
    .where(and(eq(agentDefinitions.tenantId, tenantId), eq(agentDefinitions.id, agentId)))
    .returning({ id: agentDefinitions.id });
  return rows.length > 0;
}
