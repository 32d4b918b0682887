import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, asc, eq, inArray } from '@botyard/shared/db/drizzle';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { AssignmentRow } from '../../routing/store/assignments.ts';
import { botAssignments } from '../../store/routing-schema.ts';
import { bots } from '../../store/schema.ts';

const b = alias(bots, 'b');
const botKey = columns({ tenantId: b.tenantId, botId: b.botId });
export type BotKey = RowOf<typeof botKey>;

/** Bots with assignments, of tenants that aren't deleted; newest first, one more than the page's limit. */
export async function listAssignedBots(tx: PlatformTx, { before, limit }: PageRequest): Promise<BotKey[]> {
  return await tx.query({
    name: 'agents.bot_assignments.bots',
    text: typedSql`select ${botKey} from agents.bots b
      where b.deleted_at is null and ($1::uuid is null or b.bot_id < $1)
        and exists (select from agents.bot_assignments a where a.tenant_id = b.tenant_id and a.bot_id = b.bot_id)
        and not exists (select from agents.deleted_tenants d where d.tenant_id = b.tenant_id)
      order by b.bot_id desc limit $2`,
    values: [before ?? null, limit + 1],
  });
}

/** A bot's assignments, the oldest first. */
export async function listAssignmentsOf(tx: TenantTx, { tenantId, botId }: BotKey): Promise<AssignmentRow[]> {
  return await tx.db
    .select()
    .from(botAssignments)
    .where(and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.botId, botId)))
    .orderBy(asc(botAssignments.assignmentId));
}

/** The same, locked until the transaction ends. */
export async function lockAssignmentsOf(tx: TenantTx, { tenantId, botId }: BotKey): Promise<AssignmentRow[]> {
  return await tx.db
    .select()
    .from(botAssignments)
    .where(and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.botId, botId)))
    .orderBy(asc(botAssignments.assignmentId))
    .for('update');
}

export async function deleteAssignments(
  tx: TenantTx,
  tenantId: string,
  assignmentIds: readonly string[],
): Promise<void> {
  await tx.db
    .delete(botAssignments)
    .where(
      and(eq(botAssignments.tenantId, tenantId), inArray(botAssignments.assignmentId, [...assignmentIds])),
    );
}
