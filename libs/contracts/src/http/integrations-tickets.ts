import { z } from 'zod';
import { id, moment } from './common.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

/** How long a call waits for its approval. */
export const ticketHours = 24;
/** Waiting calls of a tenant, and of one chat. */
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
  userId: id.describe('The person as `/api/interactions` and rules know them.'),
  platform: PlatformName,
  platformUserId: z.string(),
  name: z.string().describe('What the person is called on the platform.'),
  isProven: z
    .boolean()
    .optional()
    .describe(
      'Whether it is known that they wrote it; of an e-mail, by SPF or DKIM. Rules that name a person allow nothing to others.',
    ),
});
export type ToolRequester = z.output<typeof ToolRequester>;

const called = {
  toolId: id,
  name: z.string().describe('By which the agent calls it.'),
  toolkit: z.string(),
  tool: z.string(),
  connectionId: id.nullable().describe('Whose account is used; `null` for a toolkit that needs none.'),
  botId: id,
  agentId: id,
  requesters: z.array(ToolRequester).describe('For whom the agent called it.'),
  arguments: z.unknown().describe('What looks like a secret is blotted out.'),
  argumentsHash: z.string().describe('SHA-256 of the exact arguments in canonical form (RFC 8785).'),
};

export const ToolTicket = z
  .object({
    ticketId: id,
    status: TicketStatus.describe(
      '`uncertain`: the service stopped in the middle of the call, and nobody can say whether it was done; it is not done again. ' +
        '`refused`: approved, but rules, tool or connection had changed until it was to run.',
    ),
    ...called,
    chatId: id.nullable().describe('The chat that it was called for; `null` where there is none.'),
    detail: z.string().nullable(),
    decidedBy: id.nullable(),
    decidedAt: moment.nullable(),
    note: z.string().nullable().describe('What the admin wrote who decided; `null` where that is nothing.'),
    createdAt: moment,
    expiresAt: moment.describe('When it can no longer be decided.'),
  })
  .meta({ id: 'ToolTicket', description: 'A call of a tool that waits, or waited, for an approval.' });
export type ToolTicket = z.input<typeof ToolTicket>;

export const TicketQuery = PageQuery.extend({
  status: TicketStatus.default('pending').describe('Only calls in this state.'),
  botId: id.optional(),
});

export const DecideTicketBody = z
  .object({
    note: z.string().trim().max(500).optional().describe('When it is rejected, the person is told.'),
  })
  .meta({
    id: 'DecideTicketRequest',
    description: 'What an admin says to a call that waits for an approval.',
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
    executionId: id,
    ticketId: id.nullable().describe('The approval that it went through.'),
    ...called,
    chatId: id.nullable().describe('The chat that it was called for; `null` where there is none.'),
    decision: z.enum(['allow', 'approval', 'deny']).describe('What the rules said.'),
    outcome: ExecutionOutcome,
    detail: z.string().nullable(),
    decidedBy: id.nullable(),
    startedAt: moment,
    endedAt: moment.nullable(),
  })
  .meta({ id: 'ToolExecution', description: 'A call of a tool, and what came of it.' });
export type ToolExecution = z.input<typeof ToolExecution>;

export const HistoryQuery = PageQuery.extend({
  botId: id.optional(),
  toolkit: z.string().max(100).optional().describe('Only calls of this outside service.'),
  outcome: ExecutionOutcome.optional(),
});
