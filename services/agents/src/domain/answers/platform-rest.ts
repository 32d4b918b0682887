import type { Provider } from '@botyard/shared/contracts/keys';
import type { ModelError, ModelFailure } from '../../clients/call-failure.ts';

const refusedMs = 60_000;
const limitedMs = 5000;
const longestMs = 10 * 60_000;

/**
 * The platform's own keys that failed, in this process: for a while they are passed over, so that not every message
 * waits for a refusal. A tenant sees nothing of it; the operator reads the log.
 */
export class PlatformRest {
  readonly #resting = new Map<Provider, { until: number; failure: ModelFailure }>();

  /** How the platform's key failed, while it rests. */
  failureOf(provider: Provider): ModelFailure | undefined {
    const rest = this.#resting.get(provider);
    return rest && performance.now() < rest.until ? rest.failure : undefined;
  }

  begin(provider: Provider, { failure, retryAfterMs }: ModelError): void {
    const restMs = Math.min(retryAfterMs ?? (failure === 'rate limited' ? limitedMs : refusedMs), longestMs);
    this.#resting.set(provider, { until: performance.now() + restMs, failure });
  }
}
