import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, getTableColumns, inArray, sql } from '@botyard/shared/db/drizzle';
import { columns } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { toolTickets } from '../../store/integrations-schema.ts';
import { nothingAsked, storedTickets, type TicketRow } from './tickets.ts';

const leaseSeconds = 6;

type Held = Pick<TicketRow, 'tenantId' | 'ticketId' | 'fence'>;

const isHeld = (held: Held) =>
  and(
    storedTickets.matches(held),
    eq(toolTickets.fence, held.fence),
    inArray(toolTickets.status, ['pending', 'executing']),
  );

const leaseEnd = sql`now() + make_interval(secs => ${leaseSeconds})`;

/** Due are approved tickets, those of a worker that died, expired ones, and those of a tool that has changed. */
export const ticketQueue: QueueTable<TicketRow> = {
  table: 'agents.tool_tickets',
  key: ['tenantId', 'ticketId'],
  columns: columns(getTableColumns(alias(toolTickets, 'q'))),
  isOfQueue: "q.status in ('pending', 'approved', 'executing')",
  readyAt: 'q.next_at',
  leaseUntil: 'next_at',
  leaseSeconds,
  fence: 'fence',
  set: "status = case q.status when 'approved' then 'executing' else q.status end",
};

/**
 * Records that the call to the provider begins. Returns `false` if the claim was lost: then the call must not be made.
 */
export async function beginCall(tx: TenantTx, held: Held, isRepeatable: boolean): Promise<boolean> {
  const rows = await tx.db
    .update(toolTickets)
    .set({ calledAt: sql`now()`, isRepeatable, nextAt: leaseEnd })
    .where(isHeld(held))
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}

/** Postpones a ticket whose call has had no effect yet. */
export async function postponeTicket(tx: TenantTx, held: Held, waitMs: number): Promise<void> {
  await tx.db
    .update(toolTickets)
    .set({
      calledAt: null,
      tries: sql`${toolTickets.tries} + 1`,
      nextAt: sql`now() + make_interval(secs => ${waitMs}::float8 / 1000)`,
    })
    .where(isHeld(held));
}

/** Releases a ticket unchanged, because this process stops before any call. */
export async function releaseTicket(tx: TenantTx, held: Held): Promise<void> {
  await tx.db.update(toolTickets).set({ nextAt: sql`now()` }).where(isHeld(held));
}

/**
 * Puts a question of the tool's server to the person who approves: the ticket is pending again. Returns `false` if the
 * claim was lost.
 */
export async function awaitInput(
  tx: TenantTx,
  held: Held,
  question: Pick<TicketRow, 'inputForms' | 'requestState' | 'expiresAt'>,
): Promise<boolean> {
  const undecided = { decidedBy: null, decidedAt: null, note: null, inputs: null };
  const rows = await tx.db
    .update(toolTickets)
    .set({
      ...undecided,
      ...question,
      status: 'pending',
      inputRound: sql`${toolTickets.inputRound} + 1`,
      nextAt: question.expiresAt,
      calledAt: null,
      tries: 0,
      fence: sql`${toolTickets.fence} + 1`,
    })
    .where(isHeld(held))
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}

/** The columns of a call that has ended. */
export interface FinishedTicket extends Pick<TicketRow, 'detail' | 'result'> {
  status: 'executed' | 'failed' | 'uncertain' | 'refused' | 'expired';
}

/** Returns `false` if the claim was lost: then nothing may be written. */
export async function finishTicket(tx: TenantTx, held: Held, end: FinishedTicket): Promise<boolean> {
  const rows = await tx.db
    .update(toolTickets)
    .set({ ...end, ...nothingAsked, fence: sql`${toolTickets.fence} + 1` })
    .where(isHeld(held))
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}
