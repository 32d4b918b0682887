import type { ExecutionOutcome } from '@botyard/contracts/http/integrations-tickets';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, getTableColumns, lt, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { conversationOf } from '../../store/conversation-of.ts';
import { toolExecutions } from '../../store/integrations-schema.ts';
import { conversations } from '../../store/schema.ts';

export type ExecutionRow = typeof toolExecutions.$inferSelect;
export type ExecutionInChat = ExecutionRow & { chatId: string | null };

export type NewExecution = Omit<ExecutionRow, 'startedAt' | 'endedAt' | 'detail' | 'result' | 'logId'> &
  Partial<Pick<ExecutionRow, 'detail' | 'endedAt'>>;

/** Records a call once. Returns `undefined` when it is already recorded. */
export async function insertExecution(
  tx: TenantTx,
  execution: NewExecution,
): Promise<ExecutionRow | undefined> {
  const [row] = await tx.db.insert(toolExecutions).values(execution).onConflictDoNothing().returning();
  return row;
}

type CallKey = Pick<ExecutionRow, 'tenantId' | 'callKey'>;
const stored = rowsOf(toolExecutions, 'tenantId', 'callKey');
export const getExecution = stored.get;

/** Records how a call ended, unless it has already ended. */
export async function endExecution(
  tx: TenantTx,
  key: CallKey,
  end: Pick<ExecutionRow, 'detail' | 'result' | 'logId'> & { outcome: ExecutionOutcome },
): Promise<void> {
  await tx.db
    .update(toolExecutions)
    .set({ ...end, endedAt: sql`now()` })
    .where(and(stored.matches(key), eq(toolExecutions.outcome, 'executing')));
}

/** Makes the record of a call that has begun that of a ticket, with which it ends. */
export async function giveToTicket(tx: TenantTx, key: CallKey, ticketId: string): Promise<void> {
  await tx.db
    .update(toolExecutions)
    .set({ ticketId, callKey: `ticket:${ticketId}` })
    .where(and(stored.matches(key), eq(toolExecutions.outcome, 'executing')));
}

/** Newest first, one more than the page's limit. */
export const listExecutions = (
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & {
    botId?: string | undefined;
    toolkit?: string | undefined;
    outcome?: ExecutionOutcome | undefined;
  },
): Promise<ExecutionInChat[]> =>
  tx.db
    .select({ ...getTableColumns(toolExecutions), chatId: conversations.chatId })
    .from(toolExecutions)
    .leftJoin(conversations, conversationOf(toolExecutions))
    .where(
      and(
        eq(toolExecutions.tenantId, tenantId),
        page.botId ? eq(toolExecutions.botId, page.botId) : undefined,
        page.toolkit ? eq(toolExecutions.toolkit, page.toolkit) : undefined,
        page.outcome ? eq(toolExecutions.outcome, page.outcome) : undefined,
        page.before ? lt(toolExecutions.executionId, page.before) : undefined,
      ),
    )
    .orderBy(desc(toolExecutions.executionId))
    .limit(page.limit + 1);

/**
 * Ends calls that a dead process left open, deletes results after a day or two, and deletes old calls and tickets.
 * Returns how many rows were changed.
 */
export async function tidyExecutions(tx: PlatformTx, keptDays: number): Promise<number> {
  const statements = [
    `update agents.tool_executions set outcome = 'uncertain', ended_at = now() where outcome = 'executing'
       and ticket_id is null and started_at < now() - interval '15 minutes'`,
    `update agents.tool_executions set result = null where (tenant_id, execution_id) in (
       select tenant_id, execution_id from agents.tool_executions
       where result is not null and ended_at < now() - interval '1 day' limit 1000)`,
    `update agents.tool_tickets set result = null where (tenant_id, ticket_id) in (
       select tenant_id, ticket_id from agents.tool_tickets
       where result is not null and decided_at < now() - interval '2 days' limit 1000)`,
    `delete from agents.tool_executions where (tenant_id, execution_id) in (
       select tenant_id, execution_id from agents.tool_executions
       where started_at < now() - make_interval(days => $1) limit 1000)`,
    `delete from agents.tool_tickets where (tenant_id, ticket_id) in (
       select tenant_id, ticket_id from agents.tool_tickets where status not in ('pending', 'approved', 'executing')
         and created_at < now() - make_interval(days => $1) limit 1000)`,
  ];
  let touched = 0;
  for (const [index, text] of statements.entries()) {
    const values = text.includes('$1') ? [keptDays] : [];
    touched += (
      await tx.query({ name: `agents.tool_history.tidy_${index}`, text: `${text} returning 1`, values })
    ).length;
  }
  return touched;
}
