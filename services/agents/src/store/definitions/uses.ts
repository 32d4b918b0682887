import type { TenantTx } from '@botyard/shared/db/database';
import { and, arrayContains, desc, eq, isNull } from '@botyard/shared/db/drizzle';
import { bots } from '../schema.ts';
import { agentDefinitions, capabilityDefinitions } from './definitions-schema.ts';

/** So many are named, which is enough to find out what to do. */
const mostNamed = 50;

interface Named {
  id: string;
  name: string;
}

export async function listBotsUsing(
  tx: TenantTx,
  tenantId: string,
  agentId: string,
): Promise<{ botId: string; name: string }[]> {
  return await tx.db
    .select({ botId: bots.botId, name: bots.name })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), isNull(bots.deletedAt), arrayContains(bots.agentIds, [agentId])))
    .orderBy(desc(bots.botId))
    .limit(mostNamed);
}

export async function listAgentsUsing(
  tx: TenantTx,
  tenantId: string,
  part: { toolId: string } | { capabilityId: string },
): Promise<Named[]> {
  const { id, name, toolIds, capabilityIds } = agentDefinitions;
  const has =
    'toolId' in part
      ? arrayContains(toolIds, [part.toolId])
      : arrayContains(capabilityIds, [part.capabilityId]);
  return await tx.db
    .select({ id, name })
    .from(agentDefinitions)
    .where(and(eq(agentDefinitions.tenantId, tenantId), has))
    .orderBy(desc(id))
    .limit(mostNamed);
}

export async function listCapabilitiesUsing(
  tx: TenantTx,
  tenantId: string,
  toolId: string,
): Promise<Named[]> {
  const { id, name, toolIds } = capabilityDefinitions;
  return await tx.db
    .select({ id, name })
    .from(capabilityDefinitions)
    .where(and(eq(capabilityDefinitions.tenantId, tenantId), arrayContains(toolIds, [toolId])))
    .orderBy(desc(id))
    .limit(mostNamed);
}
