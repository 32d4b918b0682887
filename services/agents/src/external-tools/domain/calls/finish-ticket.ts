import { chatUpdated } from '@botyard/contracts/events/agents';
import type { ExecutionOutcome } from '@botyard/contracts/http/integrations-tickets';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { ConversationKey } from '../../../store/conversation-of.ts';
import type { Deps } from '../../deps.ts';
import { endExecution, insertExecution, type NewExecution } from '../../store/executions.ts';
import { insertNotice, lockConversation } from '../../store/notices.ts';
import { type FinishedTicket, finishTicket } from '../../store/ticket-claims.ts';
import { openDecided, setNotice, type TicketRow } from '../../store/tickets.ts';
import { maskedText } from './arguments.ts';
import { noticeText } from './sentences.ts';

/** The end of a ticket that a worker holds. */
export interface TicketEnd extends FinishedTicket {
  logId?: string | null;
}

const outcomes: Readonly<Record<TicketEnd['status'], ExecutionOutcome>> = {
  executed: 'succeeded',
  failed: 'failed',
  uncertain: 'uncertain',
  refused: 'refused',
  expired: 'expired',
};

/**
 * Ends a ticket, saves its result and continues the chat, in one transaction. Returns `false` if the claim was lost.
 */
export async function endTicket(
  deps: Pick<Deps, 'database' | 'outbox' | 'wakeWorker'>,
  ticket: TicketRow,
  end: TicketEnd,
): Promise<boolean> {
  return await withTenant(deps.database, [ticket.tenantId], async (tx) => {
    const hasConversation = await lockConversation(tx, ticket);
    const { status, detail, result, logId = null } = end;
    if (!(await finishTicket(tx, ticket, { status, detail, result }))) return false;
    const execution = executionOf(ticket, outcomes[status]);
    await insertExecution(tx, { ...execution, detail, endedAt: new Date() });
    await endExecution(tx, execution, { outcome: outcomes[status], detail, logId, result: null });
    if (hasConversation) await tellChat(deps, tx, { ...ticket, status });
    if (status !== 'expired') await openChat(deps, tx, ticket);
    return true;
  });
}

/** The history row that belongs to a ticket. */
export const executionOf = (ticket: TicketRow, outcome: ExecutionOutcome): NewExecution => ({
  tenantId: ticket.tenantId,
  executionId: uuidv7(),
  callKey: `ticket:${ticket.ticketId}`,
  ticketId: ticket.ticketId,
  conversationId: ticket.conversationId,
  botId: ticket.botId,
  agentId: ticket.agentId,
  toolId: ticket.toolId,
  toolName: ticket.toolName,
  toolkit: ticket.toolkit,
  tool: ticket.tool,
  connectionId: ticket.connectionId,
  argumentsHash: ticket.argumentsHash,
  pin: ticket.pin,
  requesters: ticket.requesters,
  arguments: maskedText(ticket.arguments),
  decision: 'approval',
  outcome,
  decidedBy: ticket.decidedBy,
});

/** Continues the conversation with the result of a call. The caller has to lock the conversation first. */
export async function tellChat(
  { wakeWorker }: Pick<Deps, 'wakeWorker'>,
  tx: TenantTx,
  ticket: TicketRow,
): Promise<void> {
  const { tenantId, conversationId, requesters } = ticket;
  const [requester] = requesters.slice(-1);
  const noticeId = await insertNotice(tx, {
    tenantId,
    conversationId,
    text: noticeText(ticket),
    sender: requester ? { platformUserId: requester.platformUserId, name: requester.name } : null,
  });
  await setNotice(tx, ticket, noticeId);
  tx.afterCommit(() => wakeWorker());
}

/** Opens the chat once staff have decided on its last waiting call. A locked chat is opened when the call ends. */
export async function openChat(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  ticket: ConversationKey,
): Promise<void> {
  const { tenantId, conversationId } = ticket;
  if (await openDecided(tx, ticket)) await outbox.emit(tx, chatUpdated, { tenantId, conversationId });
}
