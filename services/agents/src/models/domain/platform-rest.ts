import { LRUCache } from 'lru-cache';
import type { WantedKey } from '../../clients/keys.ts';
import type { ModelError, ModelFailure } from '../clients/call-failure.ts';

const refusedMs = 60_000;
const limitedMs = 5000;
const longestMs = 10 * 60_000;
/** Limit on remembered entries: tenants choose the model names. */
const maxRests = 1000;

/** The reason why the platform's key isn't used, and when it is free again. */
export interface Rest {
  failure: ModelFailure;
  freeInMs: number;
}

/**
 * Failures of the platform's own keys, in this process: for a while such a key isn't used, so that not every message
 * waits for a refusal. A refused key (401) rests as a whole; failures that may be about a model (402, 403, 404, 429)
 * rest for that model alone, so that no tenant's choice of a model affects others (decisions/0038).
 */
export class PlatformRest {
  readonly #resting = new LRUCache<string, { until: number; failure: ModelFailure }>({ max: maxRests });

  of(wanted: WantedKey): Rest | undefined {
    const rest = this.#at(keyName(wanted)) ?? this.#at(modelName(wanted));
    return rest && { failure: rest.failure, freeInMs: Math.ceil(rest.until - performance.now()) };
  }

  begin(wanted: WantedKey, { failure, retryAfterMs }: ModelError): void {
    const restMs = retryAfterMs ?? (failure === 'rate limited' ? limitedMs : refusedMs);
    const until = performance.now() + Math.min(restMs, longestMs);
    const name = failure === 'key refused' ? keyName(wanted) : modelName(wanted);
    this.#resting.set(name, { until, failure });
  }

  #at(name: string) {
    const rest = this.#resting.get(name);
    return rest && performance.now() < rest.until ? rest : undefined;
  }
}

/** A tenant can set the address and models of its private LLM, so its failures say nothing about other tenants. */
const keyName = ({ provider, tenantId }: WantedKey): string =>
  provider === 'private-llm' ? `${provider} ${tenantId}` : provider;

const modelName = (wanted: WantedKey): string => JSON.stringify([keyName(wanted), wanted.model]);
