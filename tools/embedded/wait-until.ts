import { setTimeout as pause } from 'node:timers/promises';

/** Polls `ask` until it returns a value. Returns `undefined` after the timeout. */
export async function waitUntil<Value>(
  ask: () => Promise<Value | undefined> | Value | undefined,
  { timeoutMs, everyMs = 25 }: { timeoutMs: number; everyMs?: number },
): Promise<Value | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() > deadline) return answer;
    await pause(everyMs);
  }
}
