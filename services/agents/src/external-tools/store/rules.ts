import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, or, sql } from '@botyard/shared/db/drizzle';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { rowsOf } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { toolGroups, toolRules } from '../../store/integrations-schema.ts';

export type RuleRow = typeof toolRules.$inferSelect;
export type GroupRow = typeof toolGroups.$inferSelect;

/** Serializes changes to the rules and groups of a tenant, so that no limit is exceeded and no reference breaks. */
export const lockRules = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `tool rules ${tenantId}`);

export async function listRules(tx: TenantTx, tenantId: string): Promise<RuleRow[]> {
  return await tx.db
    .select()
    .from(toolRules)
    .where(eq(toolRules.tenantId, tenantId))
    .orderBy(desc(toolRules.ruleId));
}

export const countRules = (tx: TenantTx, tenantId: string) =>
  tx.db.$count(toolRules, eq(toolRules.tenantId, tenantId));

/** Inserts a rule, or gives the existing rule for the same calls its new effect. */
export async function upsertRule(
  tx: TenantTx,
  rule: Omit<RuleRow, 'ruleId' | 'updatedAt'>,
): Promise<RuleRow> {
  const { effect, note, createdBy } = rule;
  const { tenantId, userId, userGroupId, botId, agentId, toolkit, tool, toolGroupId } = toolRules;
  const [row] = await tx.db
    .insert(toolRules)
    .values({ ...rule, ruleId: uuidv7() })
    .onConflictDoUpdate({
      target: [tenantId, userId, userGroupId, botId, agentId, toolkit, tool, toolGroupId],
      set: { effect, note, createdBy, updatedAt: sql`now()` },
    })
    .returning();
  return row!;
}

/** Deletes one rule, or all. Returns how many there were. */
export async function deleteRules(
  tx: TenantTx,
  tenantId: string,
  ruleId: string | undefined,
): Promise<number> {
  const rows = await tx.db
    .delete(toolRules)
    .where(and(eq(toolRules.tenantId, tenantId), ruleId ? eq(toolRules.ruleId, ruleId) : undefined))
    .returning({ ruleId: toolRules.ruleId });
  return rows.length;
}

export async function isGroupInRules(
  tx: TenantTx,
  { tenantId, accessGroupId }: Pick<GroupRow, 'tenantId' | 'accessGroupId'>,
): Promise<boolean> {
  const rows = await tx.db
    .select({ ruleId: toolRules.ruleId })
    .from(toolRules)
    .where(
      and(
        eq(toolRules.tenantId, tenantId),
        or(eq(toolRules.userGroupId, accessGroupId), eq(toolRules.toolGroupId, accessGroupId)),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

export async function listGroups(tx: TenantTx, tenantId: string): Promise<GroupRow[]> {
  return await tx.db
    .select()
    .from(toolGroups)
    .where(eq(toolGroups.tenantId, tenantId))
    .orderBy(desc(toolGroups.accessGroupId));
}

/** @throws HttpError 409 for the name of a group of the other kind. */
export async function upsertGroup(
  tx: TenantTx,
  group: Omit<GroupRow, 'accessGroupId' | 'updatedAt'>,
): Promise<GroupRow> {
  const [row] = await tx.db
    .insert(toolGroups)
    .values({ ...group, accessGroupId: uuidv7() })
    .onConflictDoUpdate({
      target: [toolGroups.tenantId, toolGroups.name],
      set: { members: group.members, updatedAt: sql`now()` },
      setWhere: eq(toolGroups.kind, group.kind),
    })
    .returning();
  if (!row) throw conflict('a group of the other kind has this name: choose another one');
  return row;
}

export const deleteGroup = rowsOf(toolGroups, 'tenantId', 'accessGroupId').remove;
