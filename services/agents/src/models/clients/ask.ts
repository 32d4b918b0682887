import type { ModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { ToolSet, wrapLanguageModel } from 'ai';
import type { Exchanged } from './exchange.ts';
import type { SaidUsage } from './read-answer.ts';
import { countTokens, type ModelAnswer, type ModelCall, readSaid, storable } from './wire.ts';

export type Sdk = typeof import('ai');

/** A model of one of the providers' adapters. */
export type ProviderAdapter = Parameters<typeof wrapLanguageModel>[0]['model'];

/**
 * Has the SDK write the request. It gets an answer of ours in place of the provider's, which it could not always read:
 * `exchange.ts` reads that one.
 */
export const handled = (): Response =>
  Response.json({
    id: 'handled',
    object: 'chat.completion',
    type: 'message',
    role: 'assistant',
    model: 'model',
    created: 0,
    content: [{ type: 'text', text: '.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '.' } }],
    usage: { input_tokens: 0, output_tokens: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  });

/** Sends one question. The adapter's request goes through `fetch`, which is `exchange`. */
export async function askOnce(
  { jsonSchema, wrapLanguageModel: wrap, generateText }: Sdk,
  call: ModelCall,
  model: ProviderAdapter,
): Promise<void> {
  const { instructions, messages, tools, mustAnswer, maxOutputTokens, settings = {}, signal } = call;
  const { temperature, reasoningEffort } = settings;
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // The schemas are only for the model: the caller that runs the tool validates the input.
  const toolSet: ToolSet = Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: jsonSchema(parameters) },
    ]),
  );
  await generateText({
    // The tools stay in the request: earlier calls refer to them.
    model: mustAnswer && tools.length > 0 ? wrap({ model, middleware: withoutCalls }) : model,
    instructions,
    messages: [...messages],
    ...(tools.length > 0 ? { tools: toolSet } : {}),
    maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort ? { providerOptions: effortOptions(reasoningEffort) } : {}),
    // `providerFetch` retries instead: with jitter, within a budget, and not for errors about the key.
    maxRetries: 0,
    abortSignal: signal,
  });
}

/** The answer in our form, with the provider's usage or an estimate. */
export function answerOf(call: ModelCall, { answer, leftOut }: Exchanged, reported: SaidUsage): ModelAnswer {
  const { text, finish, finishReason, thoughtUnits } = answer;
  const { said, toolCalls } = readSaid(answer);
  const usage = countTokens(reported, call, { said, thoughtUnits });
  return { text: storable(text), toolCalls, said, usage, finish, finishReason, thoughtUnits, leftOut };
}

/** Each adapter reads the options under its own name. */
const effortOptions = (reasoningEffort: NonNullable<ModelSettings['reasoningEffort']>) => ({
  openai: { reasoningEffort },
  openaiCompatible: { reasoningEffort },
});

const withoutCalls: Parameters<typeof wrapLanguageModel>[0]['middleware'] = {
  transformParams: async ({ params }) => ({ ...params, toolChoice: { type: 'none' } }),
};
