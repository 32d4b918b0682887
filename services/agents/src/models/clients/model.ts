import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { type PublicProvider, providerTraits } from '@botyard/contracts/providers';
import { inSpan } from '@botyard/shared/tracing/spans';
import type { AddressWatch } from './address-watch.ts';
import { answerOf, askOnce, handled, type ProviderAdapter, type Sdk } from './ask.ts';
import { loggable, ModelError, type ModelFailure } from './call-failure.ts';
import { compatibleModel, withFetch } from './compatible-model.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { LearnedAdjustments, type ModelPlace } from './learned-adjustments.ts';
import { listModelsAt } from './list-models.ts';
import { providerFetch } from './provider-fetch.ts';
import { ProviderHealth } from './provider-health.ts';
import { createProviderRequest, type ProviderRequest } from './provider-request.ts';
import { type AnswerReader, createAnswerReaders, type SaidUsage } from './read-answer.ts';
import type { RetryBudget } from './retry-budget.ts';
import { type Recording, transcribeAt } from './transcribe.ts';
import type { ModelAnswer, ModelCall, ModelsAsked } from './wire.ts';

export interface ModelClient {
  /**
   * Sends one question to the model without running any tools. Retries while the server fails, within the signal's
   * deadline. @throws ModelError; the signal's own reason when it was aborted for another one.
   */
  complete(call: ModelCall): Promise<ModelAnswer>;
  /**
   * Transcribes a recording, with a provider that implements OpenAI's protocol. Ignores messages and tools. @throws as
   * `complete`.
   */
  transcribe(call: ModelCall, recording: Recording): Promise<ModelAnswer>;
  /** The names of the provider's models. @throws as `complete`. */
  list(asked: ModelsAsked): Promise<string[]>;
  /** Under which names it is remembered what a model refuses. @throws ModelError when it has no address. */
  placesOf(asked: Pick<ModelCall, 'tenantId' | 'provider' | 'model'>): Promise<ModelPlace[]>;
}

export interface ModelAddresses extends Readonly<Record<PublicProvider, string>> {
  privateLlm: string | undefined;
  privateLlmModel: string;
  /** Returns a tenant's own private LLM, if it has one. @throws ModelError. */
  privateLlmOf?: (tenantId: string) => Promise<PrivateLlm>;
}

/** A tenant's settings that override the operator's. */
export interface PrivateLlm {
  address?: string | undefined;
  model?: string | undefined;
}

const usageAttributes = ({ inputTokens, outputTokens }: ModelAnswer['usage']) => ({
  'gen_ai.usage.input_tokens': inputTokens,
  'gen_ai.usage.output_tokens': outputTokens,
});

/**
 * Loads the SDK and the providers' adapters at the first call that needs them. Loading them again would cost a tenth of
 * a call.
 */
export function createModelClient(
  addresses: ModelAddresses,
  watch?: AddressWatch,
  learned: LearnedAdjustments = new LearnedAdjustments(),
): ModelClient {
  const health = new ProviderHealth();
  const readerFor = createAnswerReaders();
  const request = createProviderRequest();
  const plain = { addresses, health, request, readerFor };
  let sdk: Promise<Sdk> | undefined;
  return {
    placesOf: async (asked) => {
      const none = { apiKey: null, keyHost: null };
      const { call, addresses: own, hasOwnAddress } = await forTenant(addresses, { ...asked, ...none });
      const where = { address: addressOf(own, call), hasOwnAddress };
      return [true, false].map((isPlatformKey) => placeOf(own, { ...call, isPlatformKey }, where));
    },
    list: (asked) => reachProvider(plain, { ...asked, model: '' }, listModelsAt),
    transcribe: (given, recording) =>
      reachProvider(plain, given, (address, call, means) =>
        inSpan('transcribe', { kind: 'client', attributes: spanOf(call) }, () =>
          transcribeAt(address, call, recording, means),
        ),
      ),
    complete: async (given) => {
      const { call, addresses: own, hasOwnAddress } = await forTenant(addresses, given);
      const address = addressOf(own, call);
      const place = placeOf(own, call, { address, hasOwnAddress });
      return await health.guard(call.tenantId, new URL(address).host, async (retries) => {
        try {
          return await inSpan('call model', { kind: 'client', attributes: spanOf(call) }, async (span) => {
            sdk ??= import('ai');
            const answer = await ask({ sdk: await sdk, call, addresses: own, place, retries });
            watch?.answered(call.provider, address);
            span.set(usageAttributes(answer.usage));
            return answer;
          });
        } catch (error) {
          const failure = failureOf(error, call);
          if (failure instanceof ModelError && failure.reason && isAboutRequest.has(failure.failure))
            learned.refuse({ ...place, tenantId: call.tenantId }, failure.reason);
          throw failure;
        }
      });
    },
  };

  async function ask({ sdk, call, addresses: own, place, retries }: Asking): Promise<ModelAnswer> {
    let usage: SaidUsage = { inputTokens: undefined, outputTokens: undefined };
    let exchanged: Exchanged | undefined;
    const reach = providerFetch({
      request,
      apiKey: call.apiKey,
      retries,
      reader: readerFor(call),
      onUsage: (reported) => {
        usage = reported;
      },
      onRefused: (refusal) => watch?.refused(call.provider, place.address, refusal),
      isStreamed: call.onText !== undefined,
    });
    const { protocol } = providerTraits[call.provider];
    const throughExchange: typeof fetch = async (...asked) => {
      exchanged = await exchange({ call, protocol, place, learned, reach, retries }, asked);
      usage = exchanged.usage ?? usage;
      return handled();
    };
    const { address } = place;
    const model = await languageModel(own, call, { address, reach: throughExchange });
    await withFetch(throughExchange, call.apiKey, () => askOnce(sdk, call, model));
    if (!exchanged) throw new ModelError('unavailable');
    return answerOf(call, exchanged, usage);
  }
}

interface Plain {
  addresses: ModelAddresses;
  health: ProviderHealth;
  request: ProviderRequest;
  readerFor: (call: { tenantId: string }) => AnswerReader;
}

/** How a provider is called without the SDK. */
interface Means {
  request: ProviderRequest;
  retries: RetryBudget;
  reader: AnswerReader;
}

/** Calls a tenant's provider without the SDK, unless it is known to fail. */
async function reachProvider<Call extends ModelsAsked & Asked, Result>(
  { addresses, health, request, readerFor }: Plain,
  given: Call,
  work: (address: string, call: Call, means: Means) => Promise<Result>,
): Promise<Result> {
  const { call, addresses: own } = await forTenant(addresses, given);
  const address = addressOf(own, call);
  return await health.guard(call.tenantId, new URL(address).host, async (retries) => {
    try {
      return await work(address, call, { request, retries, reader: readerFor(call) });
    } catch (error) {
      throw failureOf(error, call);
    }
  });
}

interface Asking {
  sdk: Sdk;
  call: ModelCall;
  addresses: ModelAddresses;
  place: ModelPlace;
  retries: RetryBudget;
}

/** Failures whose reason the people who run the agent can do something about. */
const isAboutRequest: ReadonlySet<ModelFailure> = new Set<ModelFailure>([
  'refused',
  'too long',
  'content refused',
]);

/**
 * The model as its refusals are remembered: for all tenants that use the platform's key at the operator's address, else
 * for the tenant.
 */
function placeOf(
  { privateLlmModel }: ModelAddresses,
  { tenantId, provider, model, isPlatformKey }: Asked & Pick<ModelCall, 'isPlatformKey'>,
  { address, hasOwnAddress }: { address: string; hasOwnAddress: boolean },
): ModelPlace {
  return {
    tenantId: isPlatformKey && !hasOwnAddress ? platformTenantId : tenantId,
    address,
    model: provider === 'private-llm' && model === 'default' ? privateLlmModel : model,
  };
}

type Asked = Pick<ModelCall, 'tenantId' | 'provider' | 'model' | 'apiKey' | 'keyHost'>;

/** Applies a tenant's own private LLM; a key stored for another host is not sent. */
async function forTenant<Call extends Asked>(addresses: ModelAddresses, call: Call) {
  const { provider, tenantId, apiKey, keyHost } = call;
  if (provider !== 'private-llm' || !addresses.privateLlmOf) return { call, addresses, hasOwnAddress: false };
  const { address, model } = await addresses.privateLlmOf(tenantId);
  const own = {
    ...addresses,
    privateLlm: address ?? addresses.privateLlm,
    privateLlmModel: model ?? addresses.privateLlmModel,
  };
  const isOfOther = address !== undefined && apiKey !== null && keyHost !== new URL(address).host;
  return {
    call: isOfOther ? { ...call, apiKey: null } : call,
    addresses: own,
    hasOwnAddress: address !== undefined,
  };
}

const spanOf = ({ provider, model }: ModelCall) => ({
  'gen_ai.provider.name': provider,
  'gen_ai.request.model': model,
});

/** @throws ModelError when there is no address, or the key was stored for another one. */
function addressOf(addresses: ModelAddresses, { provider, apiKey, keyHost }: Asked): string {
  const address = { ...addresses, 'private-llm': addresses.privateLlm }[provider];
  if (!address) throw new ModelError('unavailable');
  if (apiKey && keyHost !== new URL(address).host) throw new ModelError('key refused');
  return address;
}

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
  switch (providerTraits[provider].protocol) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey: '', ...common, baseURL: address }).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: '', ...common, baseURL: `${address}/v1` })(model);
    }
    case 'compatible': {
      const isDefault = provider === 'private-llm' && model === 'default';
      return await compatibleModel(address, isDefault ? privateLlmModel : model);
    }
  }
}

/** The error that callers get for a failed call: a `ModelError`, or the reason of the abort. */
function failureOf(error: unknown, { signal, apiKey }: Pick<ModelCall, 'signal' | 'apiKey'>): unknown {
  if (signal.aborted && !isTimeout(signal.reason)) return signal.reason;
  // The library wraps errors that break a stream before its first text.
  for (const one of [error, (error as { cause?: unknown }).cause]) if (one instanceof ModelError) return one;
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
