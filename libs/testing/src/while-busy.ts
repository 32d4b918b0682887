import { setTimeout as pause } from 'node:timers/promises';

const tries = 20;
const pauseMs = 500;

/**
 * Repeats a request that was answered with 503, as clients and platforms do: on a busy machine others may hold a
 * resource for longer than the request waits. After 10 s the last answer counts, so permanent failures still show.
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
