import { attentionNeeded, chatUpdated } from '@botyard/contracts/events/agents';
import { withTenant } from '@botyard/shared/db/database';
import type { ServerQuestion } from '../../../mcp/clients/server-call.ts';
import type { Deps } from '../../deps.ts';
import { awaitInput } from '../../store/ticket-claims.ts';
import { closeUndecided, type TicketRow } from '../../store/tickets.ts';
import { readForms } from './input-forms.ts';
import { ticketEnd } from './park.ts';

/** A server that asks more often than this in one call gets no answer. */
const maxInputRounds = 3;

/**
 * Puts what a server asks in the middle of an approved call to the person who approves
 * (docs/decisions/0105-input-for-mcp-servers.md). Resolves with the reason if the call ends instead.
 */
export async function askForInput(
  { database, outbox, log }: Pick<Deps, 'database' | 'outbox' | 'log'>,
  ticket: TicketRow,
  { inputRequests, requestState }: ServerQuestion,
): Promise<string | undefined> {
  const { tenantId, conversationId, ticketId } = ticket;
  if (ticket.inputRound >= maxInputRounds)
    return `the server asked for input more than ${maxInputRounds} times`;
  const read = readForms(inputRequests);
  if ('refusal' in read) return read.refusal;
  const question = { inputForms: read.forms, requestState, expiresAt: ticketEnd() };
  await withTenant(database, [tenantId], async (tx) => {
    if (!(await awaitInput(tx, ticket, question)))
      return log.warn({ ticketId }, 'another worker has the ticket');
    await outbox.emit(tx, attentionNeeded, { tenantId, conversationId, kind: 'approval', id: ticketId });
    if (await closeUndecided(tx, ticket)) await outbox.emit(tx, chatUpdated, { tenantId, conversationId });
  });
  return undefined;
}
