import { withMoments } from '@botyard/contracts/http/common';
import type { ToolExecution, ToolTicket } from '@botyard/contracts/http/integrations-tickets';
import type { ToolConnection } from '@botyard/contracts/http/tools';
import type { ConnectionRow } from '../store/connections.ts';
import type { ExecutionInChat } from '../store/executions.ts';
import type { TicketInChat } from '../store/tickets.ts';
import { masked } from './calls/arguments.ts';
import { visibleArguments } from './calls/visible-arguments.ts';

/** Rows in their form for clients. The contracts leave the provider's names, a person's state and results out. */
export const toConnection = (row: ConnectionRow): ToolConnection => withMoments(row);

/** The arguments whole: a person decides about exactly these. */
export const toTicket = (row: TicketInChat): ToolTicket =>
  withMoments({
    ...row,
    name: row.toolName,
    arguments: JSON.parse(row.arguments) as unknown,
    argumentsText: visibleArguments(row.arguments),
    input: inputOf(row),
  });

const inputOf = ({ status, inputRound, inputForms }: TicketInChat): ToolTicket['input'] =>
  status === 'pending' && inputForms ? { round: inputRound, forms: inputForms } : null;

export const toExecution = (row: ExecutionInChat): ToolExecution =>
  withMoments({ ...row, name: row.toolName, arguments: masked(row.arguments) });
