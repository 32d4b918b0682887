import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt, sql } from '@botyard/shared/db/drizzle';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { conflict } from '@botyard/shared/http/errors';
import { botAssignments } from '../../store/routing-schema.ts';

export type AssignmentRow = typeof botAssignments.$inferSelect;
export type NewAssignment = Omit<AssignmentRow, 'createdAt' | 'updatedAt'>;

export interface AssignmentKey {
  tenantId: string;
  assignmentId: string;
}

const matches = ({ tenantId, assignmentId }: AssignmentKey) =>
  and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.assignmentId, assignmentId));

/** @throws HttpError 409 when the bot has one for the same place and condition. */
export async function insertAssignment(tx: TenantTx, assignment: NewAssignment): Promise<AssignmentRow> {
  const [row] = await onlyOnce(tx.db.insert(botAssignments).values(assignment).returning());
  return row!;
}

/** @throws HttpError 409 when the bot has another one for the same place and condition. */
export async function updateAssignment(
  tx: TenantTx,
  key: AssignmentKey,
  change: Partial<NewAssignment>,
): Promise<AssignmentRow | undefined> {
  const changed = tx.db.update(botAssignments).set({ ...change, updatedAt: sql`now()` });
  const [row] = await onlyOnce(changed.where(matches(key)).returning());
  return row;
}

async function onlyOnce<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (!isUniqueViolation(error, 'bot_assignments_once')) throw error;
    throw conflict('the bot has an assignment for this place and condition: change that one', {
      code: 'already_exists',
      cause: error,
    });
  }
}

export async function getAssignment(tx: TenantTx, key: AssignmentKey): Promise<AssignmentRow | undefined> {
  const [row] = await tx.db.select().from(botAssignments).where(matches(key));
  return row;
}

/** The same, locked until the transaction ends. */
export async function lockAssignment(tx: TenantTx, key: AssignmentKey): Promise<AssignmentRow | undefined> {
  const [row] = await tx.db.select().from(botAssignments).where(matches(key)).for('update');
  return row;
}

/** Newest first, one more than the page's limit. */
export async function listAssignments(
  tx: TenantTx,
  tenantId: string,
  { before, limit, ...filter }: PageRequest & { botId?: string | undefined; agentId?: string | undefined },
): Promise<AssignmentRow[]> {
  return await tx.db
    .select()
    .from(botAssignments)
    .where(
      and(
        eq(botAssignments.tenantId, tenantId),
        filter.botId ? eq(botAssignments.botId, filter.botId) : undefined,
        filter.agentId ? eq(botAssignments.agentId, filter.agentId) : undefined,
        before ? lt(botAssignments.assignmentId, before) : undefined,
      ),
    )
    .orderBy(desc(botAssignments.assignmentId))
    .limit(limit + 1);
}

export async function countAssignments(tx: TenantTx, tenantId: string, botId: string): Promise<number> {
  return await tx.db.$count(
    botAssignments,
    and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.botId, botId)),
  );
}

/** `false` when there was none. */
export async function deleteAssignment(tx: TenantTx, key: AssignmentKey): Promise<boolean> {
  const rows = await tx.db
    .delete(botAssignments)
    .where(matches(key))
    .returning({ assignmentId: botAssignments.assignmentId });
  return rows.length > 0;
}
