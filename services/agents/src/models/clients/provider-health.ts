import { LRUCache } from 'lru-cache';
import { ModelError } from './call-failure.ts';
import { type CallResult, CircuitBreaker } from './circuit-breaker.ts';
import { RetryBudget } from './retry-budget.ts';

const maxPairs = 10_000;
const breaker = { maxFailures: 5, openMs: 5000, longestOpenMs: 60_000 };

/** The health of one provider's host for one tenant, in this process. */
interface Health {
  breaker: CircuitBreaker;
  retries: RetryBudget;
}

/** Separate for every tenant, so that one tenant's failures with a provider don't affect others. */
export class ProviderHealth {
  readonly #known = new LRUCache<string, Health>({ max: maxPairs });

  /**
   * Makes a call unless the provider has failed too often. Its retries use up the budget. @throws ModelError
   * `unavailable` immediately in that case; any error of the call.
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
    const existingHealth = this.#known.get(key);
    if (existingHealth) return existingHealth;
    const health = { breaker: new CircuitBreaker(breaker), retries: new RetryBudget() };
    this.#known.set(key, health);
    return health;
  }
}

/** Errors about a key or the request show that the provider works. Failures of this machine show nothing about it. */
function resultOf(error: unknown): CallResult {
  if (!(error instanceof ModelError) || error.wasNotAsked) return 'unknown';
  return error.failure === 'unavailable' || error.failure === 'timeout' ? 'failed' : 'ok';
}
