import type { CreateAgentDefinitionBody } from '@botyard/shared/contracts/definitions';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, arrayContains, desc, eq, inArray, isNull, lt } from '@botyard/shared/db/drizzle';
import type { PageRequest } from '@botyard/shared/http/page';
import { bots } from '../schema.ts';
import { agentDefinitions } from './definitions-schema.ts';

export type AgentDefinitionRow = typeof agentDefinitions.$inferSelect;

export async function insertAgentDefinition(
  tx: TenantTx,
  definition: CreateAgentDefinitionBody & { tenantId: string; id: string },
): Promise<AgentDefinitionRow> {
  const [row] = await tx.db.insert(agentDefinitions).values(definition).returning();
  return row!;
}

export async function getAgentDefinition(
  tx: TenantTx,
  tenantId: string,
  id: string,
): Promise<AgentDefinitionRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(agentDefinitions)
    .where(and(eq(agentDefinitions.tenantId, tenantId), eq(agentDefinitions.id, id)));
  return row;
}

export async function listAgentDefinitions(
  tx: TenantTx,
  tenantId: string,
  page: PageRequest,
): Promise<AgentDefinitionRow[]> {
  return await tx.db
    .select()
    .from(agentDefinitions)
    .where(
      and(
        eq(agentDefinitions.tenantId, tenantId),
        page.before ? lt(agentDefinitions.id, page.before) : undefined,
      ),
    )
    .orderBy(desc(agentDefinitions.id))
    .limit(page.limit + 1);
}

/** Definitions of all the transaction's tenants, newest first, one more than the page's limit. */
export async function listAgentsOfTenants(
  tx: TenantTx,
  page: PageRequest,
): Promise<Pick<AgentDefinitionRow, 'id' | 'tenantId' | 'name' | 'description'>[]> {
  const { id, tenantId, name, description } = agentDefinitions;
  return await tx.db
    .select({ id, tenantId, name, description })
    .from(agentDefinitions)
    .where(and(inArray(tenantId, [...tx.tenantIds]), page.before ? lt(id, page.before) : undefined))
    .orderBy(desc(id))
    .limit(page.limit + 1);
}

/** The tenant's definitions with these identifiers, in the order of the identifiers. */
export async function listAgentsInOrder(
  tx: TenantTx,
  tenantId: string,
  ids: readonly string[],
): Promise<AgentDefinitionRow[]> {
  if (ids.length === 0) return [];
  const rows = await tx.db
    .select()
    .from(agentDefinitions)
    .where(and(eq(agentDefinitions.tenantId, tenantId), inArray(agentDefinitions.id, [...ids])));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** `false` when there is none. */
export async function deleteAgentDefinition(tx: TenantTx, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx.db
    .delete(agentDefinitions)
    .where(and(eq(agentDefinitions.tenantId, tenantId), eq(agentDefinitions.id, id)))
    .returning({ id: agentDefinitions.id });
  return rows.length > 0;
}

export async function listBotsUsing(
  tx: TenantTx,
  tenantId: string,
  agentId: string,
): Promise<{ botId: string; name: string }[]> {
  return await tx.db
    .select({ botId: bots.botId, name: bots.name })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), isNull(bots.deletedAt), arrayContains(bots.agentIds, [agentId])));
}
