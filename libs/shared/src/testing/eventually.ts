import { setTimeout as pause } from 'node:timers/promises';

/** Asks until the answer is neither `undefined` nor `false`. @throws when that takes longer than `timeoutMs` (default 30 s). */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(10);
  }
}
