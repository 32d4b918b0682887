import { z } from 'zod';
import { id } from './common.ts';
import { ContextRecord, KeyAttempt, ToolCallRecord } from './context-traces.ts';
import { route } from './contract.ts';
import { UpdateAgentDefinitionBody } from './definitions-agents.ts';
import { EventStream } from './event-stream.ts';
import { Provider } from './provider.ts';

/** Limits of concurrent trials: per caller, and per process. */
export const maxTrialsOfCaller = 2;
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
        `must not have more than ${maxUnits} characters together`,
      )
      .describe('The conversation, the oldest first. The agent answers the last one.'),
    draft: UpdateAgentDefinitionBody.optional().describe(
      'Fields that stand in for those of the definition, checked as an update is. Nothing of it is kept.',
    ),
  })
  .meta({ examples: [{ messages: [{ role: 'user', text: 'Where is my order?' }] }] });
export type TryAgentBody = z.output<typeof TryAgentBody>;

const count = z.number().int();

/** A trial's steps, in the form of a reply's trace. */
export const TrialTrace = z.object({
  agentId: id,
  version: count.describe('Of the definition.'),
  drafted: z.array(z.string()).describe('The fields that the draft stood in for.'),
  provider: Provider,
  model: z.string(),
  key: z.object({
    keyId: id.nullable(),
    source: KeyAttempt.shape.source,
    attempts: z.array(KeyAttempt),
  }),
  context: ContextRecord,
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
  done: z.object({ text: z.string(), trace: TrialTrace }),
  error: z.object({ code: z.string(), error: z.string(), trace: TrialTrace.optional() }),
} as const;
export type TrialEventName = keyof typeof trialEvents;
export type TrialEvent<Name extends TrialEventName> = z.input<(typeof trialEvents)[Name]>;

/** The part of `/api/agents` for trying an agent. */
export const trialRoutes = {
  tryAgent: route({
    method: 'post',
    path: '/:agentId/try',
    access: 'admin',
    summary: 'Try an agent, as it is or as it is edited, without a chat.',
    description:
      'Server-sent events (`text/event-stream`): `delta { text }` as the model speaks, `tool { name, arguments, outcome }` for each call of a ' +
      'tool, at last `done { text, trace }` or `error { code, error }`. `text` of `done` is the answer; where tools were called, deltas before ' +
      'them are what the model said until then. A provider that does not stream gives one delta. Nothing is kept but what was used, which is ' +
      'counted for the agent without a bot, with the outcome `trial`. Tools that only read run; `external` ones are answered `not run in a trial`, ' +
      'and no app gives the agent anything. Also a disabled agent can be tried. The trial ends when the client leaves. ' +
      `What keeps it from beginning is an ordinary error: 422 without a key, 429 without quota and beyond ${maxTrialsOfCaller} trials at once.`,
    body: TryAgentBody,
    maxBodyBytes: 1024 ** 2,
    response: EventStream,
    errors: [422, 429, 503],
  }),
};
