import { z } from 'zod';
import { id, moment } from './common.ts';

/** A message that an answer was given to, from its delivery on. */
export const DeliveryRecord = z.object({
  messageId: id,
  seq: z.number().int().describe('Its place in the conversation.'),
  receivedAt: moment,
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

/** What the model was shown beside the question and its instructions. */
export const ContextRecord = z.object({
  messages: z.number().int().describe('Earlier messages of the conversation.'),
  tokens: z.number().int().describe('Estimated, of all that was shown.'),
  hasSummary: z.boolean().describe('What no longer fits was shown as a summary.'),
  citations: z.array(SourceCitation),
});
export type ContextRecord = z.output<typeof ContextRecord>;

/** One key that the model was asked with. */
export const KeyAttempt = z.object({
  keyId: id.nullable(),
  source: z.enum(['agent', 'bot', 'tenant', 'platform', 'none']),
  outcome: z.string().describe('`answered`, or why not, in words of ours.'),
  durationMs: z.number().int(),
});
export type KeyAttempt = z.output<typeof KeyAttempt>;

/** One call of a tool. What it was given and what it gave are cut to a bounded length. */
export const ToolCallRecord = z.object({
  toolId: id.nullable().describe('`null` for a tool that the model made up.'),
  name: z.string(),
  arguments: z.string(),
  outcome: z.enum(['ok', 'failed', 'refused']),
  result: z.string(),
  durationMs: z.number().int(),
});
export type ToolCallRecord = z.output<typeof ToolCallRecord>;
