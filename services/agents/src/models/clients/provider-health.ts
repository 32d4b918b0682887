import { LRUCache } from 'lru-cache';
import { ModelError } from './call-failure.ts';
import { type CallResult, CircuitBreaker } from './circuit-breaker.ts';
import { RetryBudget } from './retry-budget.ts';

const maxPairs = 10_000;
const breaker = { maxFailures: 5, openMs: 5000, longestOpenMs: 60_000 };

/** What one tenant has seen of one provider's host, in this process. */
interface Health {
  breaker: CircuitBreaker;
  retries: RetryBudget;
}

/** Kept apart for every tenant: what one of them does to a provider, or has of it, is nothing that others feel. */
export class ProviderHealth {
  readonly #known = new LRUCache<string, Health>({ max: maxPairs });

  /**
   * Makes a call unless the provider has failed too often; its tries beyond the first come out of the budget.
   * @throws ModelError `unavailable` at once in that case; whatever the call throws.
   */
  async guard<Result>(
    tenantId: string,
    host: string,
    call: (retries: RetryBudget) => Promise<Result>,
  ): Promise<Result> {
    const { breaker, retries } = this.#of(`${tenantId} ${host}`);
    const end = breaker.begin();
    if (!end) {
      const cause = new Error('the provider is failing');
      throw new ModelError('unavailable', { cause, retryAfterMs: Math.ceil(breaker.closesInMs) });
    }
    retries.earn();
    try {
      const result = await call(retries);
      end('ok');
      return result;
    } catch (error) {
      end(resultOf(error));
      throw error;
    }
  }

  #of(key: string): Health {
    const known = this.#known.get(key);
    if (known) return known;
    const health = { breaker: new CircuitBreaker(breaker), retries: new RetryBudget() };
    this.#known.set(key, health);
    return health;
  }
}

/** What is about a key, or about the request, shows that the provider works; trouble of this machine shows nothing. */
function resultOf(error: unknown): CallResult {
  if (!(error instanceof ModelError) || error.wasNotAsked) return 'unknown';
  return error.failure === 'unavailable' || error.failure === 'timeout' ? 'failed' : 'ok';
}
