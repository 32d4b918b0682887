import { setTimeout as pause } from 'node:timers/promises';
import type { Cause } from '../../models/domain/cause.ts';

const maxTries = 3;
const firstWaitMs = 500;
const longestWaitMs = 30_000;

/** The model can't answer this case nor the next one. The message is for the people who run the agent. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
}

/** Causes that end a run, since every other case would have them, too. */
export const endsRun: ReadonlySet<Cause> = new Set<Cause>([
  'no key',
  'key refused',
  'model refused',
  'quota exhausted',
  'allowance used up',
]);
const passing: ReadonlySet<Cause> = new Set<Cause>(['rate limited', 'timeout', 'unavailable']);

interface Failed {
  failure: Cause;
  freeInMs?: number | undefined;
}

/** Asks again while the failure may pass. @throws the signal's reason. */
export async function retryWhileUnavailable<Attempt>(
  ask: () => Promise<Attempt>,
  { failureOf, signal }: { failureOf: (attempt: Attempt) => Failed | undefined; signal: AbortSignal },
): Promise<Attempt> {
  for (let tries = 1; ; tries += 1) {
    const attempt = await ask();
    const failed = failureOf(attempt);
    if (!failed || !passing.has(failed.failure) || tries === maxTries) return attempt;
    const waitMs = Math.min(failed.freeInMs ?? firstWaitMs * tries, longestWaitMs);
    await pause(waitMs, undefined, { signal });
  }
}
