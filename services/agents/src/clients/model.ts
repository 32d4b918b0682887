import type { Provider } from '@botyard/shared/contracts/keys';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { LanguageModel, ModelMessage } from 'ai';
import { fetchWith, loggable, ModelError, type ModelFailure } from './call-failure.ts';

export interface ModelCall {
  provider: Provider;
  model: string;
  apiKey: Secret | null;
  /** The host that the key was stored for: it is sent to no other (reliability, rule 16). */
  keyHost: string | null;
  instructions: string;
  messages: ModelMessage[];
  signal: AbortSignal;
}

export interface ModelAnswer {
  text: string;
  inputTokens: number;
  outputTokens: number;
  /** The provider gave no numbers: these are estimated from the lengths. */
  isEstimated: boolean;
}

export interface ModelClient {
  /** One call, with retries of what isn't about the key, inside the signal's deadline. @throws ModelError; the signal's own reason when it was aborted for another one. */
  complete(call: ModelCall): Promise<ModelAnswer>;
}

export interface ModelAddresses {
  openai: string;
  anthropic: string;
  privateLlm: string | undefined;
  privateLlmModel: string;
}

/** The longest answer that a model is asked for. */
export const maxOutputTokens = 4096;
const maxRetries = 2;
/** Far more than `maxOutputTokens` can be: a server that keeps to no limit doesn't get further. */
const mostAnswerUnits = 100_000;

/** The SDK and the providers' adapters are loaded at the first call that needs them. */
export function createModelClient(addresses: ModelAddresses): ModelClient {
  return {
    complete: async ({ instructions, messages, signal, ...choice }) => {
      const { generateText } = await import('ai');
      globalThis.AI_SDK_LOG_WARNINGS = false;
      try {
        const { text, usage } = await generateText({
          model: await languageModel(addresses, choice),
          instructions,
          messages,
          maxOutputTokens,
          maxRetries,
          abortSignal: signal,
        });
        const answer = storable(text);
        if (answer.trim() === '') throw new ModelError('empty answer');
        return { text: answer, ...countTokens(usage, instructions, messages, answer) };
      } catch (error) {
        if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
        const last = (error as { lastError?: unknown }).lastError ?? error;
        if (last instanceof ModelError) throw last;
        const { name, message } = last as Partial<Error>;
        const cause = loggable(`${name}: ${message}`, choice.apiKey);
        throw new ModelError(signal.aborted ? 'timeout' : failureOf(last), { cause });
      }
    },
  };
}

async function languageModel(
  addresses: ModelAddresses,
  { provider, model, apiKey, keyHost }: Pick<ModelCall, 'provider' | 'model' | 'apiKey' | 'keyHost'>,
): Promise<LanguageModel> {
  const address = {
    openai: addresses.openai,
    anthropic: addresses.anthropic,
    'private-llm': addresses.privateLlm,
  }[provider];
  if (!address) throw new ModelError('unavailable');
  if (apiKey && keyHost !== new URL(address).host) throw new ModelError('key refused');
  const key = apiKey?.reveal();
  const common = { fetch: fetchWith(apiKey), ...(key ? { apiKey: key } : {}) };
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey: '', ...common, baseURL: address }).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: '', ...common, baseURL: `${address}/v1` })(model);
    }
    case 'private-llm': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const compatible = createOpenAICompatible({ ...common, name: 'private-llm', baseURL: address });
      return compatible.chatModel(model === 'default' ? addresses.privateLlmModel : model);
    }
  }
}

function countTokens(
  usage: { inputTokens: number | undefined; outputTokens: number | undefined },
  instructions: string,
  messages: readonly ModelMessage[],
  text: string,
): Omit<ModelAnswer, 'text'> {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens !== undefined && outputTokens !== undefined)
    return { inputTokens, outputTokens, isEstimated: false };
  const asked = instructions.length + messages.reduce((sum, { content }) => sum + String(content).length, 0);
  return { inputTokens: Math.ceil(asked / 4), outputTokens: Math.ceil(text.length / 4), isEstimated: true };
}

/** Postgres can't keep U+0000, and an answer that can't be kept would fail for ever. */
const storable = (text: string): string => text.replaceAll('\0', '').slice(0, mostAnswerUnits).toWellFormed();

const isTimeout = (reason: unknown): boolean =>
  (reason as { name?: unknown } | undefined)?.name === 'TimeoutError';

function failureOf(error: unknown): ModelFailure {
  const { name, statusCode } = error as { name?: string; statusCode?: number };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && statusCode !== 408)
    return 'refused';
  return 'unavailable';
}
