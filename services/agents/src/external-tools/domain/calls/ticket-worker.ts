import { withTenant } from '@botyard/shared/db/database';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { Deps } from '../../deps.ts';
import { releaseTicket, ticketQueue } from '../../store/ticket-claims.ts';
import type { TicketRow } from '../../store/tickets.ts';
import { runTicket } from './run-ticket.ts';

/**
 * Processes approved and expired tickets in every instance: other workers take over the tickets of a process that died
 * within some seconds. The claim is stored durably, unlike a conversation's, because a call must never be forgotten.
 */
export const createTicketWorker = (deps: Deps): LeasedQueue<TicketRow> =>
  new LeasedQueue(deps, {
    name: 'tool tickets',
    table: ticketQueue,
    slots: 7,
    share: 1,
    run: async (ticket, { signal }) => {
      try {
        await runTicket(deps, ticket, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        await withTenant(deps.database, [ticket.tenantId], (tx) => releaseTicket(tx, ticket));
      }
    },
  });
