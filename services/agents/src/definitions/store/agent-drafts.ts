import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { agentDrafts } from '../../store/definitions-schema.ts';
import type { DefinitionKey } from './definitions.ts';

export type AgentDraftRow = typeof agentDrafts.$inferSelect;

const stored = rowsOf(agentDrafts, 'tenantId', 'agentId');

export const getAgentDraft = (tx: TenantTx, { tenantId, id }: DefinitionKey) =>
  stored.get(tx, { tenantId, agentId: id });

/** Creates or replaces the draft. */
export async function saveAgentDraft(
  tx: TenantTx,
  row: Omit<AgentDraftRow, 'updatedAt'>,
): Promise<AgentDraftRow> {
  const { base, fields, updatedBy } = row;
  const [saved] = await tx.db
    .insert(agentDrafts)
    .values(row)
    .onConflictDoUpdate({
      target: [agentDrafts.tenantId, agentDrafts.agentId],
      set: { base, fields, updatedBy, updatedAt: sql`now()` },
    })
    .returning();
  return saved!;
}

/** Returns whether there was a draft. */
export const deleteAgentDraft = (tx: TenantTx, { tenantId, id }: DefinitionKey): Promise<boolean> =>
  stored.remove(tx, { tenantId, agentId: id });

/** The subset of these agents that has a draft. */
export async function listDraftedAgents(
  tx: TenantTx,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { agentId } = agentDrafts;
  const rows = await tx.db
    .select({ agentId })
    .from(agentDrafts)
    .where(and(eq(agentDrafts.tenantId, tenantId), inArray(agentId, [...ids])));
  return new Set(rows.map((row) => row.agentId));
}
