import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';
import { TriageRecord } from './triage.ts';
import { From, To } from './usage-query.ts';

/** A message that was answered, from its delivery on. */
export const DeliveryRecord = z.object({
  messageId: id,
  seq: z.number().int().describe('Its place in the conversation.'),
  receivedAt: moment,
  refusal: Refusal.optional().describe('It came with the others, and its sender was not heard.'),
});
export type DeliveryRecord = z.output<typeof DeliveryRecord>;

/** A passage of a document that the model was shown. */
export const SourceCitation = z.object({
  sourceId: id,
  chunkId: id,
  title: z.string(),
  score: z.number(),
});
export type SourceCitation = z.output<typeof SourceCitation>;

/** The use of a file in an answer. */
export const MediaRecord = z.object({
  messageId: id,
  kind: z.string().describe("In the platform's words, such as `photo`, `voice` or `document`."),
  use: z
    .enum(['text', 'picture', 'transcript', 'none'])
    .describe(
      '`text`: the model was shown the beginning of its text. `picture`: it was shown the picture. `transcript`: it was shown what was said. `none`: it was told that it came.',
    ),
  reason: z.string().optional().describe('Why it was not used, where the file was the reason.'),
  transcribedBy: z.string().optional().describe('Provider and model.'),
  mediaType: z.string().optional(),
  sizeBytes: z.number().int().optional(),
});
export type MediaRecord = z.output<typeof MediaRecord>;

/** The model's context beside the question and its instructions. */
export const ContextRecord = z.object({
  messages: z.number().int().describe('Earlier messages of the conversation.'),
  staffMessages: z
    .number()
    .int()
    .optional()
    .describe('How many of them a person of the tenant wrote, while they handled the chat.'),
  tokens: z.number().int().describe('Estimated, of all that was shown.'),
  hasSummary: z.boolean().describe('What no longer fits was shown as a summary.'),
  citations: z.array(SourceCitation).describe('Passages of documents that the model was shown.'),
  media: z.array(MediaRecord).optional().describe('Files that came with what was answered.'),
});
export type ContextRecord = z.output<typeof ContextRecord>;

/** One key that was tried for the model call. */
export const KeyAttempt = z.object({
  keyId: id.nullable(),
  source: z.enum(['agent', 'bot', 'tenant', 'platform', 'none']),
  outcome: z.string().describe('`answered`, or why not, in words of ours.'),
  durationMs: z.number().int(),
});
export type KeyAttempt = z.output<typeof KeyAttempt>;

/** One call of a tool. Its arguments and result are cut to a bounded length. */
export const ToolCallRecord = z.object({
  toolId: id.nullable().describe('`null` for a tool that the model made up.'),
  name: z.string().describe('By which the model called it.'),
  arguments: z.string(),
  outcome: z
    .enum(['ok', 'failed', 'refused', 'waiting', 'uncertain', 'not run in a trial'])
    .describe('`waiting`: for an approval. `uncertain`: whether it was done is not known.'),
  result: z.string(),
  durationMs: z.number().int(),
});
export type ToolCallRecord = z.output<typeof ToolCallRecord>;

/** The result of delivering a reply to its platform. Kept with the reply. */
export const ReplyDelivery = z.object({
  platformMessageIds: z.array(z.string()).describe('One for each part that was sent.'),
  isUncertain: z.boolean().describe('A send was repeated after a crash: one part may have arrived twice.'),
  deliveredAt: moment.describe('When it was over, sent or given up.'),
});
export type ReplyDelivery = z.output<typeof ReplyDelivery>;

const outcome = z.enum(['answered', 'apologized', 'command']);
const count = z.number().int();

/** A reply as a list shows it. */
export const TraceSummary = z
  .object({
    traceId: id,
    botId: id,
    chatId: id,
    agentId: id.nullable(),
    outcome,
    failure: z.string().nullable().describe('Why it was an apology.'),
    replyId: id,
    state: z
      .enum(['sending', 'sent', 'failed', 'uncertain'])
      .describe('Of the reply. `uncertain`: it was given up, and may have arrived all the same.'),
    inputTokens: count,
    outputTokens: count,
    toolCalls: count,
    durationMs: count,
    createdAt: moment.describe('When the reply was decided.'),
  })
  .meta({ id: 'TraceSummary', description: 'A reply as a list shows it.' });
export type TraceSummary = z.output<typeof TraceSummary>;

const TracedDelivery = DeliveryRecord.extend({
  deliveryId: id
    .nullable()
    .describe("What the platform's delivery is known by in the log; `null` where that is not known."),
  platformMessageId: z
    .string()
    .nullable()
    .describe("The message's number at the platform; `null` where it is not known."),
  dedupe: z
    .literal('first')
    .describe('Copies of a delivery are dropped when they come, and are in no trace.'),
});

export const TraceCost = z.object({
  microUsd: count.nullable().describe('Millionths of a US dollar; `null` unless it is counted.'),
  state: z
    .enum(['counted', 'unpriced', 'nothing used', 'pending', 'unavailable'])
    .describe(
      '`unpriced`: the model has no price. `pending`: not counted yet. `unavailable`: the usage service does not answer.',
    ),
});
export type TraceCost = z.output<typeof TraceCost>;

/** One reply and everything that led to it. */
export const ContextTrace = TraceSummary.omit({
  toolCalls: true,
})
  .extend({
    deliveries: z.array(TracedDelivery).describe('What was answered together, in order.'),
    triage: TriageRecord.nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    key: z
      .object({
        keyId: id.nullable(),
        source: KeyAttempt.shape.source,
        attempts: z.array(KeyAttempt).describe('Each key that was tried, in order.'),
      })
      .describe('The key that the model was asked with in the end.'),
    context: ContextRecord.nullable(),
    toolCalls: z.array(ToolCallRecord).describe('What the model had tools do, in order.'),
    isEstimated: z.boolean().describe('The provider gave no numbers: the tokens are estimated.'),
    cost: TraceCost.describe('What the reply cost.'),
    outbound: z
      .object({
        replyId: id,
        seq: count.describe('Its place among the replies of the chat.'),
        state: TraceSummary.shape.state,
        parts: count.describe('How many messages the platform got for it.'),
        platformMessageIds: z
          .array(z.string())
          .describe('The numbers of the parts at the platform, as far as they are known.'),
        isUncertain: z.boolean().describe('Whether a part may have arrived twice, or not at all.'),
        lastError: z.string().nullable(),
      })
      .describe('How the reply was sent.'),
    timing: z
      .object({
        receivedAt: moment.nullable().describe('Of the first message.'),
        answeredAt: moment,
        deliveredAt: moment.nullable(),
        waitedMs: count.nullable().describe('Before the answer was begun: joining, and what was before it.'),
        durationMs: count,
      })
      .describe('When what happened.'),
  })
  .meta({ id: 'ContextTrace', description: 'One reply and everything that led to it.' });
export type ContextTrace = z.output<typeof ContextTrace>;

export const contextTracesRouter = defineRouter({
  basePath: '/api/context-traces',
  service: 'agents',
  description: "What led to each reply of the active tenant's bots.",
  routes: {
    listTraces: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List replies with their outcome.',
      query: PageQuery.extend({
        botId: id.optional(),
        chatId: id.optional(),
        agentId: id.optional(),
        messageId: id.optional().describe('A message that was answered, or the reply itself.'),
        outcome: outcome.optional(),
        from: From.optional(),
        to: To.optional(),
      }),
      response: z.array(TraceSummary),
      paged: true,
    }),
    getTrace: route({
      method: 'get',
      path: '/:traceId',
      access: 'admin',
      summary: 'Get everything that led to one reply.',
      response: ContextTrace,
    }),
  },
});
