import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { defineRouter, responder } from './contract.ts';
import { PageQuery } from './page.ts';
import { TriageRecord } from './triage.ts';
import { From, To } from './usage-query.ts';

/** A message that was answered, with its delivery. */
export const DeliveryRecord = z.object({
  messageId: id,
  seq: z.int().describe('Position of the message in the conversation.'),
  receivedAt: moment,
  refusal: Refusal.optional().describe(
    'Why the message was not processed, although it arrived with the others. Absent if it was processed.',
  ),
});
export type DeliveryRecord = z.output<typeof DeliveryRecord>;

/** A passage of a document that was included in the prompt. */
export const SourceCitation = z.object({
  sourceId: id,
  chunkId: id,
  title: z.string(),
  heading: z
    .string()
    .optional()
    .describe('The headings above the passage in its document. Absent for earlier replies.'),
  position: z
    .int()
    .optional()
    .describe('The place of the passage in its document, from 0. Absent for earlier replies.'),
  score: z.number(),
});
export type SourceCitation = z.output<typeof SourceCitation>;

/** How a file was used in an answer. */
export const MediaRecord = z.object({
  messageId: id,
  kind: z
    .string()
    .describe('The kind of file as named by the platform, such as `photo`, `voice` or `document`.'),
  use: z
    .enum(['text', 'picture', 'transcript', 'none'])
    .describe(
      'How the model received the file. `text`: the beginning of its text. `picture`: the picture. ' +
        '`transcript`: the transcript of the recording. `none`: only a note that the file arrived.',
    ),
  reason: z.string().optional().describe('Why the file was not used, if the file itself was the reason.'),
  transcribedBy: z.string().optional().describe('The provider and model that transcribed the recording.'),
  mediaType: z.string().optional(),
  sizeBytes: z.int().optional(),
});
export type MediaRecord = z.output<typeof MediaRecord>;

/** The model's context, apart from the question and the instructions. */
export const ContextRecord = z.object({
  messages: z.int().describe('The number of earlier messages of the conversation that were included.'),
  staffMessages: z
    .int()
    .optional()
    .describe('The number of those messages that were written by staff who had taken over the chat.'),
  tokens: z.int().describe('Estimated tokens of the entire context.'),
  hasSummary: z.boolean().describe('Whether earlier messages that no longer fit were replaced by a summary.'),
  citations: z.array(SourceCitation).describe('Passages of documents that were included in the context.'),
  media: z.array(MediaRecord).optional().describe('Files that arrived with the answered messages.'),
});
export type ContextRecord = z.output<typeof ContextRecord>;

/** One key that was tried for the model call. */
export const KeyAttempt = z.object({
  keyId: id.nullable(),
  source: z.enum(['agent', 'bot', 'tenant', 'platform', 'none']),
  outcome: z.string().describe('`answered`, or the reason why the call failed.'),
  durationMs: z.int(),
});
export type KeyAttempt = z.output<typeof KeyAttempt>;

/** How the model ended its answer, and what its provider refused. */
export const ModelRecord = z.object({
  ending: z
    .enum(['complete', 'cut', 'filtered'])
    .describe('`cut`: the answer reached its longest length. `filtered`: a filter of the provider ended it.'),
  finishReason: z.string().nullable().describe("The provider's own word for the end of the last answer."),
  thoughtUnits: z
    .int()
    .describe("The length of the model's thoughts in characters. They are neither sent nor stored."),
  leftOut: z.array(z.string()).describe('What was left out of the requests, because the model refuses it.'),
  leavesOut: z
    .enum(['nothing', 'context', 'question'])
    .describe(
      'What stays out of later questions, because the provider refuses its content or length. `context`: the ' +
        'earlier messages of the conversation. `question`: the answered messages.',
    ),
  refusal: z.string().optional().describe("The provider's own reason for a refusal, without secrets."),
});
export type ModelRecord = z.output<typeof ModelRecord>;

/** One tool call. Its arguments and result are truncated. */
export const ToolCallRecord = z.object({
  toolId: id
    .nullable()
    .describe(
      'The tool that was called; `null` if the model named a tool that does not exist. A tool of a server that the ' +
        'agent names has an identifier of its own, without a definition.',
    ),
  name: z.string().describe('The name by which the model called the tool.'),
  server: z
    .object({
      serverId: id,
      tool: z.string().describe("The server's own name for the tool."),
      pin: z.string().nullable().describe('The definition that was called; `null` if none could be.'),
    })
    .optional()
    .describe('The MCP server whose tool was called. Absent for all other tools.'),
  arguments: z.string(),
  outcome: z
    .enum(['ok', 'failed', 'refused', 'waiting', 'uncertain', 'not run in a trial'])
    .describe(
      'The outcome of the call. `waiting`: it is waiting for approval. `uncertain`: it is unknown whether the ' +
        'call was executed.',
    ),
  result: z.string(),
  durationMs: z.int(),
});
export type ToolCallRecord = z.output<typeof ToolCallRecord>;

/** The result of delivering a reply to its platform. Stored with the reply. */
export const ReplyDelivery = z.object({
  platformMessageIds: z
    .array(z.string())
    .describe('The identifiers of the message parts on the platform, one for each part that was sent.'),
  isUncertain: z
    .boolean()
    .describe('Whether a send was retried after a crash, so that one part may have arrived twice.'),
  deliveredAt: moment.describe('When delivery ended, successfully or not.'),
});
export type ReplyDelivery = z.output<typeof ReplyDelivery>;

const outcome = z.enum(['answered', 'apologized', 'command']);
const count = z.int();

export const TraceSummary = z
  .object({
    traceId: id,
    botId: id,
    chatId: id,
    agentId: id.nullable(),
    agentVersion: count
      .nullable()
      .describe('The version of the agent that answered. `null` without an agent, and for earlier replies.'),
    sessionId: id
      .nullable()
      .describe(
        'The session that the reply belongs to. A session begins with the first message after `/new`, or after 24 ' +
          'hours without a message. `null` for earlier replies.',
      ),
    outcome,
    failure: z.string().nullable().describe('Why the bot apologized; `null` if it did not.'),
    ending: ModelRecord.shape.ending.nullable().describe('`null` if no model was asked.'),
    replyId: id,
    state: z
      .enum(['sending', 'sent', 'failed', 'uncertain'])
      .describe(
        'The state of the reply. `uncertain`: sending was abandoned, but the reply may have arrived.',
      ),
    inputTokens: count,
    outputTokens: count,
    toolCalls: count,
    durationMs: count,
    createdAt: moment.describe('When the reply was determined.'),
  })
  .meta({ id: 'TraceSummary', description: 'A summary of one reply.' });
export type TraceSummary = z.output<typeof TraceSummary>;

const TracedDelivery = DeliveryRecord.extend({
  deliveryId: id
    .nullable()
    .describe("The identifier of the platform's delivery in the log; `null` if unknown."),
  platformMessageId: z
    .string()
    .nullable()
    .describe("The message's identifier on the platform; `null` if unknown."),
  dedupe: z
    .literal('first')
    .describe('Always `first`. Duplicate deliveries are discarded on arrival and do not appear in traces.'),
});

export const TraceCost = z.object({
  microUsd: count
    .nullable()
    .describe('Cost in millionths of a US dollar; `null` unless `state` is `counted`.'),
  state: z
    .enum(['counted', 'unpriced', 'nothing used', 'pending', 'unavailable'])
    .describe(
      'Whether the cost is known. `unpriced`: the model has no price. `pending`: the usage is not counted yet. ' +
        '`unavailable`: the usage service does not answer.',
    ),
});
export type TraceCost = z.output<typeof TraceCost>;

export const ContextTrace = TraceSummary.omit({
  toolCalls: true,
})
  .extend({
    deliveries: z.array(TracedDelivery).describe('The messages that were answered together, in order.'),
    triage: TriageRecord.nullable().describe('How the agent was chosen; `null` if none was.'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    key: z
      .object({
        keyId: id.nullable(),
        source: KeyAttempt.shape.source,
        attempts: z.array(KeyAttempt).describe('The keys that were tried, in order.'),
      })
      .describe('The key used for the final model call.'),
    context: ContextRecord.nullable(),
    answer: ModelRecord.nullable().describe(
      '`null` if no model was asked, and for traces of earlier versions.',
    ),
    toolCalls: z.array(ToolCallRecord).describe('The tool calls of the model, in order.'),
    isEstimated: z.boolean().describe('Whether the tokens are estimated because the provider reported none.'),
    cost: TraceCost.describe('The cost of the reply.'),
    outbound: z
      .object({
        replyId: id,
        seq: count.describe('Position of the reply among the replies of the chat.'),
        state: TraceSummary.shape.state,
        parts: count.describe('The number of messages sent to the platform for this reply.'),
        platformMessageIds: z
          .array(z.string())
          .describe('The identifiers of the parts on the platform, as far as they are known.'),
        isUncertain: z.boolean().describe('Whether a part may have arrived twice or not at all.'),
        lastError: z.string().nullable(),
      })
      .describe('The delivery of the reply.'),
    timing: z
      .object({
        receivedAt: moment.nullable().describe('When the first of the messages arrived; `null` if unknown.'),
        answeredAt: moment,
        deliveredAt: moment.nullable(),
        waitedMs: count
          .nullable()
          .describe(
            'Time in milliseconds before the answer was started, spent on joining messages and on earlier work in the ' +
              'queue; `null` if unknown.',
          ),
        durationMs: count,
      })
      .describe('The times and durations of the steps.'),
  })
  .meta({ id: 'ContextTrace', description: 'A reply, with everything that led to it.' });
export type ContextTrace = z.output<typeof ContextTrace>;

export const contextTracesRouter = defineRouter({
  basePath: '/api/context-traces',
  service: 'agents',
  description: "Traces of the replies of the active tenant's bots.",
  routes: {
    listTraces: responder.list('/', {
      summary: 'List traces of replies with their outcomes.',
      query: PageQuery.extend({
        botId: id.optional(),
        chatId: id.optional(),
        agentId: id.optional(),
        messageId: id
          .optional()
          .describe('Only the trace of this message, which is either an answered message or the reply.'),
        outcome: outcome.optional(),
        from: From.optional(),
        to: To.optional(),
      }),
      response: z.array(TraceSummary),
    }),
    getTrace: responder.get('/:traceId', {
      summary: 'Get the full trace of one reply.',
      response: ContextTrace,
    }),
  },
});
