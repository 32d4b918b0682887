import type { ModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { ModelMessage, ToolSet, wrapLanguageModel } from 'ai';
import { count, type SaidUsage } from './read-answer.ts';
import { countTokens, type ModelAnswer, type ModelCall, maxAnswerUnits, readSaid, storable } from './wire.ts';

export type Sdk = typeof import('ai');

/** A model of one of the providers' adapters. */
export type ProviderAdapter = Parameters<typeof wrapLanguageModel>[0]['model'];

interface Asking {
  call: ModelCall;
  model: ProviderAdapter;
  /** The usage that a whole (not streamed) answer reported. */
  saidUsage: () => SaidUsage;
}

/** Asks one question and reads its answer as a whole. */
export async function askWhole(sdk: Sdk, { call, model, saidUsage }: Asking): Promise<ModelAnswer> {
  const result = await sdk.generateText(questionOf(sdk, call, model));
  return answerOf(call, result, saidUsage());
}

/** Asks one question and streams its answer: `onText` is called with the text as it arrives. */
export async function askStreaming(sdk: Sdk, { call, model }: Asking): Promise<ModelAnswer> {
  // Errors also arrive in the stream. Without this handler the library would write them to the console.
  const result = sdk.streamText({ ...questionOf(sdk, call, model), onError: () => undefined });
  let unitsLeft = maxAnswerUnits;
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') call.signal.throwIfAborted();
    if (part.type !== 'text-delta') continue;
    const text = part.text.replaceAll('\0', '').slice(0, unitsLeft);
    unitsLeft -= text.length;
    if (text !== '') call.onText?.(text);
  }
  call.signal.throwIfAborted();
  const [text, responseMessages, used] = await Promise.all([
    result.text,
    result.responseMessages,
    result.usage,
  ]);
  // A question has at least one token, so 0 means that the number is missing.
  const usage = { inputTokens: count(used.inputTokens) || undefined, outputTokens: count(used.outputTokens) };
  return answerOf(call, { text, responseMessages }, usage);
}

function questionOf({ jsonSchema, wrapLanguageModel: wrap }: Sdk, call: ModelCall, model: ProviderAdapter) {
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
  return {
    // Done here and not by an option of the library: with that, a tool call by the model would be an error, and its
    // tokens would be lost.
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
  };
}

function answerOf(
  { instructions, messages, tools }: ModelCall,
  { text, responseMessages }: { text: string; responseMessages: readonly ModelMessage[] },
  said: SaidUsage,
): ModelAnswer {
  const { said: shown, toolCalls } = readSaid(responseMessages);
  const usage = countTokens(said, { instructions, messages, tools }, shown);
  return { text: storable(text), toolCalls, said: shown, usage };
}

/** Each adapter reads the options under its own name. */
const effortOptions = (reasoningEffort: NonNullable<ModelSettings['reasoningEffort']>) => ({
  openai: { reasoningEffort },
  openaiCompatible: { reasoningEffort },
});

/** The tools stay in the request: earlier calls refer to them. */
const withoutCalls: Parameters<typeof wrapLanguageModel>[0]['middleware'] = {
  transformParams: async ({ params }) => ({ ...params, toolChoice: { type: 'none' } }),
};
