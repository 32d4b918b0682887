import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, lt } from '@botyard/shared/db/drizzle';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { isWithin } from '../../store/reach.ts';
import { agentReleases } from '../../store/releases-schema.ts';
import type { DefinitionKey } from './definitions.ts';

export type AgentDefinitionRow = typeof agentDefinitions.$inferSelect;

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

/** Keeps the agent from being deleted until the transaction ends. Returns `false` when there is none. */
export async function holdAgentDefinition(tx: TenantTx, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx.db
    .select({ id: agentDefinitions.id })
    .from(agentDefinitions)
    .where(and(eq(agentDefinitions.tenantId, tenantId), eq(agentDefinitions.id, id)))
    .for('key share');
  return rows.length > 0;
}

/** Locks the agent's running release, which the deletion of the agent deletes, until the transaction ends. */
export async function lockReleasesOf(tx: TenantTx, { tenantId, id }: DefinitionKey): Promise<void> {
  const { releaseId, agentId, state } = agentReleases;
  await tx.db
    .select({ releaseId })
    .from(agentReleases)
    .where(and(eq(agentReleases.tenantId, tenantId), eq(agentId, id), eq(state, 'running')))
    .for('update');
}

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
