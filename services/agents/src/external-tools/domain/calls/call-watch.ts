import { typing } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { signal as sendSignal } from '@botyard/shared/bus/signals';
import { withTenant } from '@botyard/shared/db/database';
import { GivenUp } from '../../../models/domain/given-up.ts';
import type { Deps } from '../../deps.ts';
import { getPlaceOfTicket } from '../../store/place-of-ticket.ts';
import type { TicketRow } from '../../store/tickets.ts';

/**
 * Aborts when a turn is given up, or is out of time: its result is no longer wanted. A service that stops lets the call
 * end, because its result is kept for the next attempt.
 */
export function cancellationOf(turn: AbortSignal): AbortSignal {
  const cancellation = new AbortController();
  const cancel = () => {
    const { reason } = turn;
    if (reason instanceof GivenUp || Object(reason).name === 'TimeoutError')
      cancellation.abort('the result is no longer wanted');
  };
  if (turn.aborted) cancel();
  else turn.addEventListener('abort', cancel, { once: true });
  return cancellation.signal;
}

const typingEveryMs = 4000;

/** Shows "typing" in the chat of an approved call for as long as its server reports progress. */
export async function typingWhileProgress(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  ticket: Pick<TicketRow, 'tenantId' | 'conversationId' | 'botId'>,
): Promise<() => void> {
  const { tenantId, conversationId, botId } = ticket;
  const conversation = await withTenant(database, [tenantId], (tx) => getPlaceOfTicket(tx, ticket));
  if (!conversation || !platformCapabilities[conversation.platform].isLive) return () => undefined;
  const { integrationId, platform, place: chat } = conversation;
  let shownAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - shownAt < typingEveryMs) return;
    shownAt = performance.now();
    sendSignal(bus, typing, { botId, integrationId, conversationId, platform, chat });
  };
}
