import type { ToolExecution, ToolTicket } from '@botyard/contracts/http/integrations-tickets';
import type { ToolConnection } from '@botyard/contracts/http/tools';
import type { ConnectionRow } from '../store/connections.ts';
import type { ExecutionInChat } from '../store/executions.ts';
import type { TicketInChat } from '../store/tickets.ts';
import { masked } from './calls/arguments.ts';

/** Rows in their form for clients: the provider's names and a person's state are left out. */
export const toConnection = ({
  connectionId,
  toolkit,
  status,
  userId,
  ...row
}: ConnectionRow): ToolConnection => ({
  ...{ connectionId, toolkit, status, userId },
  createdAt: row.createdAt.toISOString(),
  verifiedAt: row.verifiedAt?.toISOString() ?? null,
});

const calledBy = (row: TicketInChat | ExecutionInChat) => ({
  toolId: row.toolId,
  name: row.toolName,
  toolkit: row.toolkit,
  tool: row.tool,
  connectionId: row.connectionId,
  botId: row.botId,
  agentId: row.agentId,
  chatId: row.chatId,
  requesters: row.requesters,
  arguments: masked(row.arguments),
  argumentsHash: row.argumentsHash,
  detail: row.detail,
  decidedBy: row.decidedBy,
});

export const toTicket = (row: TicketInChat): ToolTicket => ({
  ticketId: row.ticketId,
  status: row.status,
  ...calledBy(row),
  decidedAt: row.decidedAt?.toISOString() ?? null,
  note: row.note,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});

export const toExecution = (row: ExecutionInChat): ToolExecution => ({
  executionId: row.executionId,
  ticketId: row.ticketId,
  ...calledBy(row),
  decision: row.decision,
  outcome: row.outcome,
  startedAt: row.startedAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
});
