import { setTimeout as pause } from 'node:timers/promises';

/**
 * Time limit for conditions that should come true. It doesn't delay any test: it only ends one that would never pass,
 * even on a very busy machine.
 */
export const patienceMs = 120_000;

/**
 * Services drop cached answers after 30 s. A test of an immediate reaction to an announcement waits for less, so that
 * it fails if the announcement has no effect.
 */
export const beforeItExpires = { timeoutMs: 20_000 };

/**
 * Polls every `everyMs` (default 10) until the answer is neither `undefined` nor `false`.
 * @throws if that takes longer than `timeoutMs` (default `patienceMs`).
 */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs = patienceMs, everyMs = 10 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(everyMs);
  }
}
