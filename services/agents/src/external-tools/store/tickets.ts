import type { Inputs } from '@botyard/contracts/http/integrations-inputs';
import type { TicketStatus } from '@botyard/contracts/http/integrations-tickets';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, count, desc, eq, getTableColumns, inArray, lt, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { type ConversationKey, conversationOf } from '../../store/conversation-of.ts';
import { toolTickets } from '../../store/integrations-schema.ts';
import { conversations } from '../../store/schema.ts';
import { giveToTicket } from './executions.ts';

export type TicketRow = typeof toolTickets.$inferSelect;
export type TicketKey = Pick<TicketRow, 'tenantId' | 'ticketId'>;
export const storedTickets = rowsOf(toolTickets, 'tenantId', 'ticketId');

/** A ticket with its chat's identifier. */
export type TicketInChat = TicketRow & { chatId: string | null };

/** A call that will wait for its approval. */
export type NewTicket = Pick<
  TicketRow,
  | 'tenantId'
  | 'ticketId'
  | 'conversationId'
  | 'botId'
  | 'agentId'
  | 'toolId'
  | 'toolName'
  | 'toolkit'
  | 'tool'
  | 'connectionId'
  | 'pin'
  | 'arguments'
  | 'argumentsHash'
  | 'requesters'
  | 'requesterIds'
  | 'expiresAt'
> &
  Partial<Pick<TicketRow, 'inputRound' | 'inputForms' | 'requestState'>> & {
    /** The record of a call without a ticket, whose server has a question: it becomes the ticket's. */
    begunCallKey?: string;
  };

const open: TicketStatus[] = ['pending', 'approved', 'executing'];

/** Inserts tickets. A call that is already pending keeps its one ticket. */
export async function insertTickets(tx: TenantTx, tickets: readonly NewTicket[]): Promise<void> {
  if (tickets.length === 0) return;
  const rows = tickets.map(({ begunCallKey: _key, ...ticket }) => ({
    ...ticket,
    status: 'pending' as const,
    nextAt: ticket.expiresAt,
  }));
  const inserted = await tx.db
    .insert(toolTickets)
    .values(rows)
    .onConflictDoNothing()
    .returning({ ticketId: toolTickets.ticketId });
  const ids = new Set(inserted.map(({ ticketId }) => ticketId));
  for (const { tenantId, ticketId, begunCallKey } of tickets)
    if (begunCallKey !== undefined && ids.has(ticketId))
      await giveToTicket(tx, { tenantId, callKey: begunCallKey }, ticketId);
}

/** The numbers of pending calls, in the tenant and in the conversation. */
export async function countOpenTickets(
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
): Promise<{ ofTenant: number; ofChat: number }> {
  const [row] = await tx.db
    .select({
      ofTenant: count(),
      ofChat: sql<number>`count(*) filter (where ${toolTickets.conversationId} = ${conversationId})`.mapWith(
        Number,
      ),
    })
    .from(toolTickets)
    .where(and(eq(toolTickets.tenantId, tenantId), inArray(toolTickets.status, open)));
  return row ?? { ofTenant: 0, ofChat: 0 };
}

const inChats = (tx: TenantTx) =>
  tx.db
    .select({ ...getTableColumns(toolTickets), chatId: conversations.chatId })
    .from(toolTickets)
    .leftJoin(conversations, conversationOf(toolTickets));

/** Newest first, one more than the page's limit. */
export const listTickets = (
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & { status: TicketStatus; botId?: string | undefined },
): Promise<TicketInChat[]> =>
  inChats(tx)
    .where(
      and(
        eq(toolTickets.tenantId, tenantId),
        eq(toolTickets.status, page.status),
        page.botId ? eq(toolTickets.botId, page.botId) : undefined,
        page.before ? lt(toolTickets.ticketId, page.before) : undefined,
      ),
    )
    .orderBy(desc(toolTickets.ticketId))
    .limit(page.limit + 1);

export async function getTicket(tx: TenantTx, key: TicketKey): Promise<TicketInChat | undefined> {
  const [row] = await inChats(tx).where(storedTickets.matches(key));
  return row;
}

/** The ticket whose end continued the conversation with this message. */
export const getTicketByNotice = (tx: TenantTx, tenantId: string, noticeId: string) =>
  storedTickets.first(tx, { tenantId, noticeId });

/** The columns of a server's questions when a call has ended. */
export const nothingAsked = { inputForms: null, requestState: null, inputs: null };

/** Decides a pending call once. Returns `false` when it is no longer pending. */
export async function decideTicket(
  tx: TenantTx,
  ticket: TicketKey & Pick<TicketRow, 'inputRound'>,
  decision: {
    status: 'approved' | 'rejected';
    decidedBy: string;
    note: string | null;
    inputs: Inputs | null;
  },
): Promise<boolean> {
  const change = decision.status === 'rejected' ? { ...decision, ...nothingAsked } : decision;
  const rows = await tx.db
    .update(toolTickets)
    .set({ ...change, decidedAt: sql`now()`, nextAt: sql`now()`, fence: sql`${toolTickets.fence} + 1` })
    .where(
      and(
        storedTickets.matches(ticket),
        eq(toolTickets.status, 'pending'),
        eq(toolTickets.inputRound, ticket.inputRound),
        sql`${toolTickets.expiresAt} > now()`,
      ),
    )
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}

/** Stores which message continues the conversation. */
export async function setNotice(tx: TenantTx, key: TicketKey, noticeId: string): Promise<void> {
  await tx.db.update(toolTickets).set({ noticeId }).where(storedTickets.matches(key));
}

/**
 * Opens a conversation that waited for decisions, once the last one is made, unless somebody else holds its lock: a
 * decision waits for nobody. Returns whether it changed.
 */
export const openDecided = preparedStatement({
  name: 'agents.tool_tickets.open_chat',
  text: `with waiting as (
           select c.tenant_id, c.conversation_id from agents.conversations c
           where c.tenant_id = $1 and c.conversation_id = $2 and c.state = 'waiting'
             and not exists (select from agents.tool_tickets t where t.tenant_id = c.tenant_id
               and t.conversation_id = c.conversation_id and t.status = 'pending')
           for no key update skip locked
         )
         update agents.conversations c set state = 'open' from waiting
         where c.tenant_id = waiting.tenant_id and c.conversation_id = waiting.conversation_id
         returning 1`,
  values: ({ tenantId, conversationId }: ConversationKey) => [tenantId, conversationId],
  result: (rows) => rows.length > 0,
});

/** Lets a conversation wait for a decision, unless somebody else holds its lock. Returns whether it changed. */
export const closeUndecided = preparedStatement({
  name: 'agents.tool_tickets.close_chat',
  text: `with open as (
           select c.tenant_id, c.conversation_id from agents.conversations c
           where c.tenant_id = $1 and c.conversation_id = $2 and c.state = 'open'
           for no key update skip locked
         )
         update agents.conversations c set state = 'waiting' from open
         where c.tenant_id = open.tenant_id and c.conversation_id = open.conversation_id
         returning 1`,
  values: ({ tenantId, conversationId }: ConversationKey) => [tenantId, conversationId],
  result: (rows) => rows.length > 0,
});
