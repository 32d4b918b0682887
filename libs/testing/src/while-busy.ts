import { setTimeout as pause } from 'node:timers/promises';

const tries = 20;
const pauseMs = 500;

/**
 * Asks again what was answered 503, as clients and platforms do: on a busy machine others may hold what it needs for longer than
 * it waits. What can never be answered is a fault: the last answer is what counts, after 10 s.
 */
export async function whileBusy<Answer extends { status: number }>(
  call: () => Promise<Answer>,
  onAskedAgain: () => void = () => undefined,
): Promise<Answer> {
  for (let left = tries; ; left -= 1) {
    const answer = await call();
    if (answer.status !== 503 || left === 1) return answer;
    onAskedAgain();
    await pause(pauseMs);
  }
}
