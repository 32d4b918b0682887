import { z } from 'zod';
import { Choices } from '../choices.ts';
import { id } from './common.ts';
import { ContextRecord, KeyAttempt, ModelRecord, ToolCallRecord } from './context-traces.ts';
import { admin } from './contract.ts';
import { UpdateAgentDefinitionBody } from './definitions-agents.ts';
import { EventStream } from './event-stream.ts';
import { Provider } from './provider.ts';

/** Limits of concurrent trials: per caller, and per process. */
export const maxTrialsOfCaller = 2;
export const maxTrialsOfTenant = 5;
export const maxTrials = 20;

const maxMessages = 60;
const maxUnitsOfMessage = 16_000;
const maxUnits = 100_000;

const TrialMessage = z.object({
  role: z.enum(['user', 'assistant']),
  text: z.string().trim().min(1).max(maxUnitsOfMessage),
});

export const TryAgentBody = z
  .object({
    messages: z
      .array(TrialMessage)
      .min(1)
      .max(maxMessages)
      .refine((messages) => messages.at(-1)?.role === 'user', 'must end with a message of the user')
      .refine(
        (messages) => messages.reduce((sum, { text }) => sum + text.length, 0) <= maxUnits,
        `must have at most ${maxUnits} characters in total`,
      )
      .describe('The conversation, oldest message first. The agent answers the last message.'),
    draft: UpdateAgentDefinitionBody.optional().describe(
      'Fields that replace those of the definition, validated like an update. They are not stored.',
    ),
  })
  .meta({ examples: [{ messages: [{ role: 'user', text: 'Where is my order?' }] }] });
export type TryAgentBody = z.output<typeof TryAgentBody>;

const count = z.int();

/** A trial's steps, in the form of a reply's trace. */
export const TrialTrace = z.object({
  agentId: id,
  version: count.describe('The version of the definition.'),
  drafted: z.array(z.string()).describe('The fields that the draft replaced.'),
  provider: Provider,
  model: z.string(),
  key: z.object({
    keyId: id.nullable(),
    source: KeyAttempt.shape.source,
    attempts: z.array(KeyAttempt),
  }),
  context: ContextRecord,
  answer: ModelRecord,
  toolCalls: z.array(ToolCallRecord),
  inputTokens: count,
  outputTokens: count,
  isEstimated: z.boolean(),
  durationMs: count,
});
export type TrialTrace = z.output<typeof TrialTrace>;

/** Data of each kind of event of a trial. */
export const trialEvents = {
  delta: z.object({ text: z.string() }),
  tool: ToolCallRecord.pick({ name: true, arguments: true, outcome: true, result: true, durationMs: true }),
  done: z.object({ text: z.string(), choices: Choices.optional(), trace: TrialTrace }),
  error: z.object({ error: z.string(), trace: TrialTrace.optional() }),
} as const;
export type TrialEventName = keyof typeof trialEvents;
export type TrialEvent<Name extends TrialEventName> = z.input<(typeof trialEvents)[Name]>;

/** The part of `/api/agents` for trying an agent. */
export const trialRoutes = {
  tryAgent: admin.post('/:agentId/try', {
    summary: 'Try an agent without a chat, as stored or with unsaved changes.',
    description:
      'Server-sent events (`text/event-stream`): `delta { text }` while the model writes, `tool { name, arguments, outcome }` for each ' +
      'call of a tool, and finally `done { text, choices?, trace }` or `error { error, trace }`. `text` of `done` is the answer; if tools were called, ' +
      'the deltas before them are what the model wrote until then. `choices` are the texts to choose from under it. A provider that does not stream sends one delta. ' +
      'Only the usage is stored; it counts for the agent without a bot, with the outcome `trial`. Tools that only read are run; `external` ' +
      'tools return `not run in a trial`, and the agent gets nothing from apps. A disabled agent can be tried, too. ' +
      'The trial ends when the client disconnects. Errors before the start are ordinary responses: ' +
      `422 without a key or without quota, 503 with more than ${maxTrialsOfCaller} concurrent trials of a person ` +
      `or ${maxTrialsOfTenant} of a tenant.`,
    body: TryAgentBody,
    maxBodyBytes: 1024 ** 2,
    response: EventStream,
    errors: [422, 503],
  }),
};
