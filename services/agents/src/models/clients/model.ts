import type { Provider } from '@botyard/contracts/http/keys';
import type { ModelSettings } from '@botyard/contracts/http/model-settings';
import type { Secret } from '@botyard/shared/secrets/secret';
import { inSpan } from '@botyard/shared/tracing/spans';
import type { AssistantModelMessage, ModelMessage, ToolSet, wrapLanguageModel } from 'ai';
import { loggable, ModelError, type ModelFailure } from './call-failure.ts';
import { compatibleModel, withFetch } from './compatible-model.ts';
import { providerFetch } from './provider-fetch.ts';
import { ProviderHealth } from './provider-health.ts';
import { AnswerReader, type SaidUsage } from './read-answer.ts';
import { type AskedTool, countTokens, type OfferedTool, readSaid, storable, type TokenUse } from './wire.ts';

export interface ModelCall {
  tenantId: string;
  provider: Provider;
  model: string;
  apiKey: Secret | null;
  /** The host that the key was stored for: it is sent to no other (reliability, rule 16). */
  keyHost: string | null;
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly OfferedTool[];
  /** No tool may be called any more. */
  mustAnswer: boolean;
  maxOutputTokens: number;
  settings?: Pick<ModelSettings, 'temperature' | 'reasoningEffort'> | undefined;
  signal: AbortSignal;
}

/** What a model said in one step: words, calls of tools, or both. */
export interface ModelAnswer {
  /** Empty when it had nothing to say. */
  text: string;
  toolCalls: AskedTool[];
  /** The same as it is shown to the model in its next step. */
  said: AssistantModelMessage[];
  usage: TokenUse;
}

export interface ModelClient {
  /**
   * One step: one question to the model, asked again while its server is in trouble, inside the signal's deadline; no tool
   * is run. @throws ModelError; the signal's own reason when it was aborted for another one.
   */
  complete(call: ModelCall): Promise<ModelAnswer>;
}

export interface ModelAddresses {
  openai: string;
  anthropic: string;
  privateLlm: string | undefined;
  privateLlmModel: string;
  /** Where a tenant has its own, if it has. @throws ModelError. */
  privateLlmOf?: (tenantId: string) => Promise<PrivateLlm>;
}

/** What a tenant has set instead of the operator's. */
export interface PrivateLlm {
  address?: string | undefined;
  model?: string | undefined;
}

type Sdk = typeof import('ai');

/** The SDK and the providers' adapters are loaded at the first call that needs them; to load them again costs a tenth of a call. */
export function createModelClient(addresses: ModelAddresses): ModelClient {
  const health = new ProviderHealth();
  const reader = new AnswerReader();
  let sdk: Promise<Sdk> | undefined;
  return {
    complete: async (given) => {
      const { call, addresses: own } = await forTenant(addresses, given);
      const address = addressOf(own, call);
      return await health.guard(call.tenantId, new URL(address).host, async (retries) => {
        try {
          return await inSpan('call model', { kind: 'client', attributes: spanOf(call) }, async (span) => {
            let said: SaidUsage = { inputTokens: undefined, outputTokens: undefined };
            const onUsage = (usage: SaidUsage) => {
              said = usage;
            };
            const reach = providerFetch({ apiKey: call.apiKey, retries, reader, onUsage });
            const model = await languageModel(own, call, { address, reach });
            sdk ??= import('ai');
            const loaded = await sdk;
            const answer = await withFetch(reach, call.apiKey, () =>
              ask(loaded, { call, model, saidUsage: () => said }),
            );
            const { inputTokens, outputTokens } = answer.usage;
            span.set({
              'gen_ai.usage.input_tokens': inputTokens,
              'gen_ai.usage.output_tokens': outputTokens,
            });
            return answer;
          });
        } catch (error) {
          throw failureOf(error, call);
        }
      });
    },
  };
}

/** With a tenant's own private LLM in place; a key that was stored for another host stays here. */
async function forTenant(addresses: ModelAddresses, call: ModelCall) {
  const { provider, tenantId, apiKey, keyHost } = call;
  if (provider !== 'private-llm' || !addresses.privateLlmOf) return { call, addresses };
  const { address, model } = await addresses.privateLlmOf(tenantId);
  const own = {
    ...addresses,
    privateLlm: address ?? addresses.privateLlm,
    privateLlmModel: model ?? addresses.privateLlmModel,
  };
  const isOfOther = address !== undefined && apiKey !== null && keyHost !== new URL(address).host;
  return { call: isOfOther ? { ...call, apiKey: null } : call, addresses: own };
}

const spanOf = ({ provider, model }: ModelCall) => ({
  'gen_ai.provider.name': provider,
  'gen_ai.request.model': model,
});

/** @throws ModelError when there is none, or the key was stored for another one. */
function addressOf(addresses: ModelAddresses, { provider, apiKey, keyHost }: ModelCall): string {
  const address = {
    openai: addresses.openai,
    anthropic: addresses.anthropic,
    'private-llm': addresses.privateLlm,
  }[provider];
  if (!address) throw new ModelError('unavailable');
  if (apiKey && keyHost !== new URL(address).host) throw new ModelError('key refused');
  return address;
}

/** A model of one of the providers' adapters. */
export type ProviderAdapter = Parameters<typeof wrapLanguageModel>[0]['model'];

async function ask(
  { generateText, jsonSchema, wrapLanguageModel }: Sdk,
  { call, model, saidUsage }: { call: ModelCall; model: ProviderAdapter; saidUsage: () => SaidUsage },
): Promise<ModelAnswer> {
  const { instructions, messages, tools, mustAnswer, maxOutputTokens, settings = {}, signal } = call;
  const { temperature, reasoningEffort } = settings;
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // The schemas are for the model alone: what it gives is checked by who runs the tool.
  const toolSet: ToolSet = Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: jsonSchema(parameters) },
    ]),
  );
  const result = await generateText({
    // Told to `generateText` itself, a model that calls a tool all the same would be an error, and its tokens lost.
    model: mustAnswer && tools.length > 0 ? wrapLanguageModel({ model, middleware: withoutCalls }) : model,
    instructions,
    messages: [...messages],
    ...(tools.length > 0 ? { tools: toolSet } : {}),
    maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort ? { providerOptions: effortOptions(reasoningEffort) } : {}),
    // `providerFetch` does it: with jitter, a budget, and no second try of what is about the key.
    maxRetries: 0,
    abortSignal: signal,
  });
  const { said, toolCalls } = readSaid(result.responseMessages);
  const usage = countTokens(saidUsage(), { instructions, messages, tools }, said);
  return { text: storable(result.text), toolCalls, said, usage };
}

/** Each adapter reads what is under its own name. */
const effortOptions = (reasoningEffort: NonNullable<ModelSettings['reasoningEffort']>) => ({
  openai: { reasoningEffort },
  openaiCompatible: { reasoningEffort },
});

/** The tools stay in the request: what was called before refers to them. */
const withoutCalls: Parameters<typeof wrapLanguageModel>[0]['middleware'] = {
  transformParams: async ({ params }) => ({ ...params, toolChoice: { type: 'none' } }),
};

interface Connection {
  address: string;
  reach: typeof fetch;
}

async function languageModel(
  { privateLlmModel }: ModelAddresses,
  { provider, model, apiKey }: Pick<ModelCall, 'provider' | 'model' | 'apiKey'>,
  { address, reach }: Connection,
): Promise<ProviderAdapter> {
  const key = apiKey?.reveal();
  const common = { fetch: reach, ...(key ? { apiKey: key } : {}) };
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey: '', ...common, baseURL: address }).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: '', ...common, baseURL: `${address}/v1` })(model);
    }
    case 'private-llm':
      return await compatibleModel(address, model === 'default' ? privateLlmModel : model);
  }
}

/** What a failed call is for others: one of our failures, or the reason of who stopped it. */
function failureOf(error: unknown, { signal, apiKey }: ModelCall): unknown {
  if (signal.aborted && !isTimeout(signal.reason)) return signal.reason;
  if (error instanceof ModelError) return error;
  const { name, message } = error as Partial<Error>;
  const cause = loggable(`${name}: ${message}`, apiKey);
  return new ModelError(signal.aborted ? 'timeout' : failureIn(error), { cause });
}

const isTimeout = (reason: unknown): boolean =>
  (reason as { name?: unknown } | undefined)?.name === 'TimeoutError';

function failureIn(error: unknown): ModelFailure {
  const { name, statusCode } = error as { name?: string; statusCode?: number };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? 'refused' : 'unavailable';
}
