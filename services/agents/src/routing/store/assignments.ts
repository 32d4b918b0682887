import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { botAssignments, botGroups } from '../../store/routing-schema.ts';

export type AssignmentRow = typeof botAssignments.$inferSelect;
type NewAssignment = Omit<AssignmentRow, 'createdAt' | 'updatedAt'>;

export interface AssignmentKey {
  tenantId: string;
  assignmentId: string;
}

const stored = rowsOf(botAssignments, 'tenantId', 'assignmentId');
export const { get: getAssignment, lock: lockAssignment, remove: deleteAssignment } = stored;

const refusals = {
  bot_assignments_once: (cause: unknown) =>
    conflict('the bot already has an assignment for this place and condition: change that one', {
      cause,
    }),
};

/** @throws HttpError 409 when the bot has an assignment for the same place and condition. */
export async function insertAssignment(tx: TenantTx, assignment: NewAssignment): Promise<AssignmentRow> {
  const [row] = await translated(tx.db.insert(botAssignments).values(assignment).returning(), refusals);
  return row!;
}

/** @throws HttpError 409 when the bot has another assignment for the same place and condition. */
export const updateAssignment = (
  tx: TenantTx,
  key: AssignmentKey,
  change: { [Name in keyof NewAssignment]?: NewAssignment[Name] | undefined },
): Promise<AssignmentRow | undefined> =>
  translated(stored.update(tx, key, { ...change, updatedAt: sql`now()` }), refusals);

/** Newest first, one more than the page's limit. */
export const listAssignments = (
  tx: TenantTx,
  tenantId: string,
  { botId, agentId, ...page }: PageRequest & { botId?: string | undefined; agentId?: string | undefined },
) => stored.list(tx, { tenantId, botId, agentId }, page);

export const countAssignments = (tx: TenantTx, tenantId: string, botId: string) =>
  stored.count(tx, { tenantId, botId });

/** A bot's assignments and groups. */
export async function deleteRoutingOf(
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<void> {
  await tx.db
    .delete(botAssignments)
    .where(and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.botId, botId)));
  await tx.db.delete(botGroups).where(and(eq(botGroups.tenantId, tenantId), eq(botGroups.botId, botId)));
}
