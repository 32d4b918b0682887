import { setTimeout as pause } from 'node:timers/promises';

/**
 * No test passes sooner or later for it: it only ends one that would never pass, also on a machine that is very busy.
 */
export const patienceMs = 120_000;

/**
 * Services forget remembered answers after 30 s. A test of a faster reaction to an announcement waits for less, so that
 * it fails when the announcement does nothing.
 */
export const beforeItExpires = { timeoutMs: 20_000 };

/**
 * Asks until the answer is neither `undefined` nor `false`, every `everyMs` (default 10).
 * @throws when that takes longer than `timeoutMs` (default `patienceMs`).
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
