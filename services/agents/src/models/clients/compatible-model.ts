import { AsyncLocalStorage } from 'node:async_hooks';
import type { Secret } from '@botyard/shared/secrets/secret';
import { LRUCache } from 'lru-cache';
import type { ProviderAdapter } from './ask.ts';

type Fetch = typeof fetch;

/** The `fetch` of the running call, which holds the call's key. The key is stored nowhere else. */
const fetchOfCall = new AsyncLocalStorage<Fetch>();
const adapters = new LRUCache<string, ProviderAdapter>({ max: 100 });

/**
 * A model at an address with OpenAI's protocol. The adapter rebuilds its schemas for every new model object, which
 * costs as much as the call, so it is cached. `withFetch` sets the parts that differ per call.
 */
export async function compatibleModel(address: string, model: string): Promise<ProviderAdapter> {
  const name = JSON.stringify([address, model]);
  const cachedAdapter = adapters.get(name);
  if (cachedAdapter) return cachedAdapter;
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const throughCall: Fetch = (input, init) => (fetchOfCall.getStore() ?? refuse)(input, init);
  const made = createOpenAICompatible({
    name: 'compatible',
    baseURL: address,
    fetch: throughCall,
    // Requests the usage of streamed answers.
    includeUsage: true,
  }).chatModel(model);
  adapters.set(name, made);
  return made;
}

/** Runs `work`. Its model calls go through `reach`, with the key. */
export function withFetch<Result>(
  reach: Fetch,
  apiKey: Secret | null,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!apiKey) return fetchOfCall.run(reach, work);
  const authorization = `Bearer ${apiKey.reveal()}`;
  return fetchOfCall.run(
    (input, init) => reach(input, { ...init, headers: { ...plain(init?.headers), authorization } }),
    work,
  );
}

const plain = (headers: RequestInit['headers']) => Object.fromEntries(new Headers(headers));

const refuse: Fetch = () => Promise.reject(new Error('no model call is in progress'));
