import type { TenantTx } from '@botyard/shared/db/database';
import { and, arrayOverlaps, eq, or, sql } from '@botyard/shared/db/drizzle';
import { agentDefinitions, capabilityDefinitions } from '../../store/definitions-schema.ts';
import type { AgentDefinitionRow } from './agent-definitions.ts';

/** Parts of one kind, by their identifiers. */
export interface PartIds {
  kind: 'tool' | 'capability';
  ids: readonly string[];
}

/** Gives each agent that has one of these parts, itself or by a capability, its next version, and returns them. */
export async function raiseVersionsUsing(
  tx: TenantTx,
  tenantId: string,
  parts: PartIds,
): Promise<AgentDefinitionRow[]> {
  if (parts.ids.length === 0) return [];
  return await tx.db
    .update(agentDefinitions)
    .set({ version: sql`${agentDefinitions.version} + 1`, updatedAt: sql`now()` })
    .where(and(eq(agentDefinitions.tenantId, tenantId), await has(tx, tenantId, parts)))
    .returning();
}

async function has(tx: TenantTx, tenantId: string, { kind, ids }: PartIds) {
  const { toolIds, capabilityIds } = agentDefinitions;
  if (kind === 'capability') return arrayOverlaps(capabilityIds, [...ids]);
  const capabilities = await tx.db
    .select({ id: capabilityDefinitions.id })
    .from(capabilityDefinitions)
    .where(
      and(
        eq(capabilityDefinitions.tenantId, tenantId),
        arrayOverlaps(capabilityDefinitions.toolIds, [...ids]),
      ),
    );
  const own = arrayOverlaps(toolIds, [...ids]);
  return capabilities.length > 0
    ? or(
        own,
        arrayOverlaps(
          capabilityIds,
          capabilities.map(({ id }) => id),
        ),
      )
    : own;
}
