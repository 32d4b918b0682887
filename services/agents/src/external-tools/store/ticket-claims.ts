import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { toolTickets } from '../../store/integrations-schema.ts';
import type { TicketRow } from './tickets.ts';

/** Workers renew the lease after a third of this time. */
export const ticketLeaseSeconds = 6;

type Held = Pick<TicketRow, 'tenantId' | 'ticketId' | 'fence'>;

const isHeld = ({ tenantId, ticketId, fence }: Held) =>
  and(
    eq(toolTickets.tenantId, tenantId),
    eq(toolTickets.ticketId, ticketId),
    eq(toolTickets.fence, fence),
    inArray(toolTickets.status, ['pending', 'executing']),
  );

const leaseEnd = sql`now() + make_interval(secs => ${ticketLeaseSeconds})`;

const isDue = "status in ('pending', 'approved', 'executing') and next_at <= now()";

export const isTicketDue = `exists (select from agents.tool_tickets where ${isDue})`;

/**
 * Claims due tickets with a lease: approved ones, those whose worker died, and those that have expired. The former
 * worker has an old fence and can no longer write.
 */
export async function claimTickets(tx: PlatformTx, limit: number): Promise<TicketRow[]> {
  const due = await tx.query({
    name: 'agents.tool_tickets.claim',
    text: typedSql`with due as (
             select tenant_id, ticket_id from agents.tool_tickets
             where ${isDue}
             order by next_at limit $1 for update skip locked)
           update agents.tool_tickets t set fence = t.fence + 1, next_at = now() + make_interval(secs => $2),
             status = case t.status when 'approved' then 'executing' else t.status end
           from due where t.tenant_id = due.tenant_id and t.ticket_id = due.ticket_id
           returning ${columns({ ticketId: alias(toolTickets, 't').ticketId })}`,
    values: [limit, ticketLeaseSeconds],
  });
  if (due.length === 0) return [];
  const ids = due.map(({ ticketId }) => ticketId);
  return await tx.db.select().from(toolTickets).where(inArray(toolTickets.ticketId, ids));
}

/** Returns `false` if the claim was lost. */
export async function renewTicket(tx: PlatformTx, held: Held): Promise<boolean> {
  const rows = await tx.db
    .update(toolTickets)
    .set({ nextAt: leaseEnd })
    .where(isHeld(held))
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}

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

/** Returns `false` if the claim was lost: then nothing may be written. */
export async function finishTicket(
  tx: TenantTx,
  held: Held,
  end: {
    status: 'executed' | 'failed' | 'uncertain' | 'refused' | 'expired';
    detail: string | null;
    result: string | null;
  },
): Promise<boolean> {
  const rows = await tx.db
    .update(toolTickets)
    .set({ ...end, fence: sql`${toolTickets.fence} + 1` })
    .where(isHeld(held))
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}
