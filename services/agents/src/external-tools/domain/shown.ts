import { withMoments } from '@botyard/contracts/http/common';
import type { ToolExecution, ToolTicket } from '@botyard/contracts/http/integrations-tickets';
import type { ToolConnection } from '@botyard/contracts/http/tools';
import type { ConnectionRow } from '../store/connections.ts';
import type { ExecutionInChat } from '../store/executions.ts';
import type { TicketInChat } from '../store/tickets.ts';
import { masked } from './calls/arguments.ts';

/** Rows in their form for clients. The contracts leave the provider's names, a person's state and results out. */
export const toConnection = (row: ConnectionRow): ToolConnection => withMoments(row);

const calledBy = <Row extends TicketInChat | ExecutionInChat>(row: Row) =>
  withMoments({ ...row, name: row.toolName, arguments: masked(row.arguments) });

export const toTicket = (row: TicketInChat): ToolTicket => calledBy(row);

export const toExecution = (row: ExecutionInChat): ToolExecution => calledBy(row);
