import { LRUCache } from 'lru-cache';
import type { WantedKey } from '../../clients/keys.ts';
import type { ModelError, ModelFailure } from '../clients/call-failure.ts';

const refusedMs = 60_000;
const limitedMs = 5000;
const longestMs = 10 * 60_000;
/** The most entries that are stored, because tenants choose the names of models. */
const maxRests = 1000;

/** The reason why the platform's key isn't used, and when it is free again. */
interface Rest {
  failure: ModelFailure;
  freeInMs: number;
}

/**
 * Remembers failures of the platform's own keys in this process. Such a key isn't used for a while, so that not every
 * message waits for a refusal. A refused key (401) is paused as a whole. Failures that may be about a model (402, 403,
 * 404, 429) pause it for that model alone, so that no tenant's choice of a model affects others (decisions/0038).
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
