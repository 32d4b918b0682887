import { setTimeout as pause } from 'node:timers/promises';
import type { Secret } from '@botyard/shared/secrets/secret';
import { loggable, ModelError, type ModelFailure } from './call-failure.ts';
import type { RetryBudget } from './retry-budget.ts';

/** Statuses that are about the key, or what may be asked with it: another key may do better. */
const aboutTheKey: Readonly<Record<number, ModelFailure>> = {
  401: 'key refused',
  402: 'rate limited',
  403: 'key refused',
  429: 'rate limited',
};

const mostRetries = 2;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * A `fetch` to a provider: it follows no redirect, since a key goes to the address that it was stored for. A server that
 * is in trouble (5xx, 408, no connection) is asked again, with jitter, as often as the budget has it. @throws ModelError
 * for what is about the key, and for a server that stays in trouble; the signal's reason.
 */
export const providerFetch =
  (apiKey: Secret | null, retries: RetryBudget): typeof fetch =>
  async (input, init) => {
    for (let tried = 0; ; tried += 1) {
      const answer = await fetch(input, { ...init, redirect: 'error' }).catch((error: unknown) => {
        init?.signal?.throwIfAborted();
        return new ModelError('unavailable', { cause: loggable(reasonOf(error), apiKey) });
      });
      const fault = answer instanceof ModelError ? answer : await faultOf(answer, apiKey);
      if (!fault) return answer as Response;
      const waitMs = fault.retryAfterMs ?? firstPauseMs * 2 ** tried * (0.5 + Math.random());
      const isWorthIt = fault.failure === 'unavailable' && tried < mostRetries && waitMs <= longestPauseMs;
      if (!isWorthIt || !retries.spend()) throw fault;
      await pause(waitMs, undefined, init?.signal ? { signal: init.signal } : {});
    }
  };

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Partial<Error>;
  return `${name}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}

/** `undefined` for an answer that somebody else is to read. */
async function faultOf(response: Response, apiKey: Secret | null): Promise<ModelError | undefined> {
  const { status, headers } = response;
  const failure = aboutTheKey[status] ?? (status >= 500 || status === 408 ? 'unavailable' : undefined);
  if (!failure) return undefined;
  const cause = loggable(`${status}: ${await response.text()}`, apiKey);
  return new ModelError(failure, { status, retryAfterMs: retryAfterMs(headers), cause });
}

const longestMs = 24 * 3600_000;

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const [ms, after] = [headers.get('retry-after-ms'), headers.get('retry-after')];
  const seconds = Number(after || Number.NaN);
  const asked = ms
    ? Number(ms)
    : Number.isNaN(seconds)
      ? Date.parse(after ?? '') - Date.now()
      : seconds * 1000;
  return Number.isNaN(asked) ? undefined : Math.round(Math.min(Math.max(asked, 0), longestMs));
}
