import type { Inputs } from '@botyard/contracts/http/integrations-inputs';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, forbidden, invalid } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { endExecution, insertExecution } from '../../store/executions.ts';
import { lockConversation } from '../../store/notices.ts';
import {
  decideTicket as decideRow,
  getTicket,
  type TicketInChat,
  type TicketKey,
} from '../../store/tickets.ts';
import { peopleOf } from '../owners.ts';
import { executionOf, openChat, tellChat } from './finish-ticket.ts';
import { faultsOfAnswers } from './input-answers.ts';

/** The author of the decision, from the tenancy service. */
interface Decision {
  by: { userId: string };
  note: string | null;
  /** Answers to what the tool's server asks. */
  inputs?: Inputs | undefined;
}

/** @throws HttpError 404. */
export async function requireTicket(
  { database }: Pick<Deps, 'database'>,
  key: TicketKey,
): Promise<TicketInChat> {
  return found(await withTenant(database, [key.tenantId], (tx) => getTicket(tx, key)), 'ticket');
}

/**
 * Approves a pending call, which a ticket worker then makes. Requesters can't approve their own calls, even through an
 * account that was linked later. @throws HttpError 403, 404, 409 for a second decision; 503 when the requester's owner
 * can't be determined. 400 for answers that the server didn't ask for, or that don't fit.
 */
export async function approveTicket(
  deps: Deps,
  key: TicketKey,
  { by, note, inputs = {} }: Decision,
): Promise<TicketInChat> {
  const ticket = await requireTicket(deps, key);
  const faults = ticket.status === 'pending' ? faultsOfAnswers(ticket.inputForms ?? [], inputs) : [];
  if (faults.length > 0) throw invalid(faults);
  const people = await peopleOf(deps, ticket.requesters);
  if (isOf(by.userId, ticket.requesterIds) || people.some(({ userIds }) => isOf(by.userId, userIds)))
    throw forbidden('you requested this call yourself: another person has to decide on it');
  const isDecided = await withTenant(deps.database, [key.tenantId], async (tx) => {
    const decision = { status: 'approved', decidedBy: by.userId, note, inputs } as const;
    if (!(await decideRow(tx, ticket, decision))) return false;
    await openChat(deps, tx, ticket);
    tx.afterCommit(() => deps.wakeTickets());
    return true;
  });
  if (!isDecided) throw await whyNot(deps, key);
  return await requireTicket(deps, key);
}

const isOf = (userId: string, userIds: readonly string[]): boolean => userIds.includes(userId);

/**
 * Rejects a call, which is then never made, and informs the chat. Its requester may withdraw it. @throws HttpError 404,
 * 409.
 */
export async function rejectTicket(
  deps: Deps,
  key: TicketKey,
  { by, note }: Decision,
): Promise<TicketInChat> {
  const ticket = await requireTicket(deps, key);
  const isDecided = await withTenant(deps.database, [key.tenantId], async (tx) => {
    const hasConversation = await lockConversation(tx, ticket);
    const decision = { status: 'rejected', decidedBy: by.userId, note, inputs: null } as const;
    if (!(await decideRow(tx, ticket, decision))) return false;
    const rejected = { ...ticket, ...decision };
    const ended = { executionId: uuidv7(), detail: note, endedAt: new Date() };
    const execution = executionOf(rejected, 'rejected');
    await insertExecution(tx, { ...execution, ...ended });
    // A call whose server has asked for input has a record already.
    await endExecution(tx, execution, { outcome: 'rejected', detail: note, logId: null, result: null });
    if (hasConversation) await tellChat(deps, tx, rejected);
    await openChat(deps, tx, ticket);
    return true;
  });
  if (!isDecided) throw await whyNot(deps, key);
  return await requireTicket(deps, key);
}

async function whyNot(deps: Pick<Deps, 'database'>, key: TicketKey): Promise<Error> {
  const { status } = await requireTicket(deps, key);
  return status === 'pending' || status === 'expired'
    ? conflict('the approval expired: ask again to request a new one')
    : conflict(`this call has already been decided: it is ${status}`);
}
