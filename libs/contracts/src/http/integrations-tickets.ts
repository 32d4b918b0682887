import { z } from 'zod';
import { id, moment } from './common.ts';
import { Inputs, TicketInput } from './integrations-inputs.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

/** How long a call waits for its approval. */
export const ticketHours = 24;
/** Maximum number of waiting calls of a tenant, and of one chat. */
export const maxTicketsOfTenant = 1000;
export const maxTicketsOfChat = 10;

export const TicketStatus = z.enum([
  'pending',
  'approved',
  'executing',
  'executed',
  'failed',
  'uncertain',
  'refused',
  'rejected',
  'expired',
]);
export type TicketStatus = z.output<typeof TicketStatus>;

export const ToolRequester = z.object({
  userId: id.describe("The person's identifier, as in `/api/interactions` and in rules."),
  platform: PlatformName,
  platformUserId: z.string(),
  name: z.string().describe("The person's name on the platform."),
  isProven: z
    .boolean()
    .optional()
    .describe(
      'Whether the sender is proven; for email, by SPF or DKIM. Rules that name a person allow nothing to unproven senders.',
    ),
});
export type ToolRequester = z.output<typeof ToolRequester>;

const called = {
  toolId: id,
  name: z.string().describe('The name by which the agent calls the tool.'),
  toolkit: z.string(),
  tool: z.string(),
  connectionId: id
    .nullable()
    .describe('The connected account that the call uses. `null` for a toolkit that needs none.'),
  botId: id,
  agentId: id,
  requesters: z.array(ToolRequester).describe('The people for whom the agent called the tool.'),
  argumentsHash: z.string().describe('SHA-256 of the exact arguments in canonical form (RFC 8785).'),
};

export const ToolTicket = z
  .object({
    ticketId: id,
    status: TicketStatus.describe(
      '`uncertain`: the service stopped during the call, so it is unknown whether the call took effect; it is not repeated. ' +
        '`refused`: the call was approved, but rules, tool or connection changed before it ran.',
    ),
    ...called,
    arguments: z
      .unknown()
      .describe('The arguments of the call, whole, as they are sent when it is approved.'),
    argumentsText: z
      .string()
      .describe(
        'The same as JSON for the person who decides. Characters that are invisible, or look like other ones, are written as `\\uXXXX`.',
      ),
    input: TicketInput.nullable().describe(
      'What the server of the tool asks before it goes on. Approve the call with `inputs` to answer. `null` if it asks nothing.',
    ),
    chatId: id.nullable().describe('The chat that the tool was called for. `null` if there is none.'),
    detail: z.string().nullable(),
    decidedBy: id.nullable(),
    decidedAt: moment.nullable().describe('When the decision was made; `null` until then.'),
    note: z.string().nullable().describe('The note of the admin who decided. `null` if there is none.'),
    createdAt: moment,
    expiresAt: moment.describe('When the call expires and can no longer be decided.'),
  })
  .meta({ id: 'ToolTicket', description: 'A call of a tool that waits, or waited, for an approval.' });
export type ToolTicket = z.input<typeof ToolTicket>;

export const TicketQuery = PageQuery.extend({
  status: TicketStatus.default('pending').describe('Only calls in this state.'),
  botId: id.optional(),
});

export const DecideTicketBody = z
  .object({
    note: z
      .string()
      .trim()
      .max(500)
      .optional()
      .describe('A note on the decision. If the call is rejected, the note is sent to the chat.'),
  })
  .meta({ id: 'DecideTicketRequest', description: "An admin's note on the decision about a call." });

export const ApproveTicketBody = DecideTicketBody.extend({
  inputs: Inputs.optional().describe(
    "Answers to what the tool's server asks: for each form by its key, the values of its fields by their names.",
  ),
}).meta({
  id: 'ApproveTicketRequest',
  description: "An admin's approval of a call, with the answers to what its server asks.",
});

export const ExecutionOutcome = z.enum([
  'executing',
  'succeeded',
  'failed',
  'uncertain',
  'refused',
  'rejected',
  'expired',
]);
export type ExecutionOutcome = z.output<typeof ExecutionOutcome>;

export const ToolExecution = z
  .object({
    executionId: id.describe('The identifier of the tool call.'),
    ticketId: id
      .nullable()
      .describe('The ticket by which the call was approved. `null` if it needed no approval.'),
    ...called,
    arguments: z.unknown().describe('The arguments of the call. Values that look like secrets are masked.'),
    pin: z
      .string()
      .nullable()
      .describe("The definition of the MCP server's tool that was called; `null` for other tools."),
    chatId: id.nullable().describe('The chat that the tool was called for. `null` if there is none.'),
    decision: z.enum(['allow', 'approval', 'deny']).describe('The decision by the rules.'),
    outcome: ExecutionOutcome,
    detail: z.string().nullable(),
    decidedBy: id.nullable(),
    startedAt: moment,
    endedAt: moment.nullable().describe('When it ended; `null` until then.'),
  })
  .meta({ id: 'ToolExecution', description: 'A call of a tool and its outcome.' });
export type ToolExecution = z.input<typeof ToolExecution>;

export const HistoryQuery = PageQuery.extend({
  botId: id.optional(),
  toolkit: z.string().max(100).optional().describe('Only calls of this outside service.'),
  outcome: ExecutionOutcome.optional(),
});
