import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { type CountedWarning, createCountedWarning } from '@botyard/shared/log/counted-warning';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../../deps.ts';
import {
  claimTickets,
  isTicketDue,
  releaseTicket,
  renewTicket,
  ticketLeaseSeconds,
} from '../../store/ticket-claims.ts';
import type { TicketRow } from '../../store/tickets.ts';
import { runTicket } from './run-ticket.ts';

const maxAtOnce = 8;
const renewEveryMs = (ticketLeaseSeconds * 1000) / 3;

interface TicketWorker extends Worker {
  wake(inMs?: number): void;
}

/**
 * Processes approved and expired tickets in every instance, with a lease on each: other workers take over the tickets
 * of a process that died within some seconds. The claim is stored durably, unlike a conversation's, because a call must
 * never be forgotten.
 */
export function createTicketWorker(deps: Deps): TicketWorker {
  const { database, log } = deps;
  const stopping = new AbortController();
  const warnOfRenewal = createCountedWarning(log, 'a lease could not be renewed');
  const loop = new ClaimLoop<TicketRow>({
    name: 'tool tickets',
    maxConcurrent: maxAtOnce,
    claim: (limit) => withPlatform(database, 'claim tool tickets', (tx) => claimTickets(tx, limit)),
    run: (ticket) => holding({ ...deps, warnOfRenewal }, ticket, stopping.signal),
    mayHaveLeft: () => false,
    log,
    stalls: deps.stalls,
  });
  deps.due.add({ name: 'tool tickets', isDue: isTicketDue, wake: () => loop.wake() });
  return {
    start: () => loop.start(),
    stop: async () => {
      stopping.abort(new Error('the service stops'));
      await loop.stop();
    },
    wake: (inMs) => (inMs ? loop.wakeIn(inMs) : loop.wake()),
  };
}

async function holding(
  deps: Deps & { warnOfRenewal: CountedWarning },
  ticket: TicketRow,
  stopping: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const renewal = setInterval(() => {
    withPlatform(deps.database, 'renew ticket', (tx) => renewTicket(tx, ticket), {
      isDurable: false,
      isOneRoundTrip: true,
    })
      .then((isHeld) => isHeld || lost.abort(new Error('another worker has the ticket')))
      .catch((error: unknown) => deps.warnOfRenewal(withoutSecrets(String(error))));
  }, renewEveryMs);
  try {
    await runTicket(deps, ticket, AbortSignal.any([stopping, lost.signal]));
  } catch (error) {
    if (!stopping.aborted) throw error;
    await withTenant(deps.database, [ticket.tenantId], (tx) => releaseTicket(tx, ticket));
  } finally {
    clearInterval(renewal);
  }
}
