import type { Answer } from '../../answering/domain/answer-record.ts';

const leastWaitMs = 1000;
/** The least time for an attempt, however late it begins; a third of the message's time if that is shorter. */
const leastTryMs = 10_000;
const leastOf = (answerMs: number) => Math.min(leastTryMs, answerMs / 3);

/** The time that an attempt may take, for a turn that was first tried `triedMs` ago. */
export const tryMs = (answerMs: number, triedMs: number): number =>
  Math.ceil(Math.max(answerMs - triedMs, leastOf(answerMs)));

/**
 * The time in ms until a turn is retried that found every key paused. Returns `undefined` when none is available in
 * time, or when this attempt has cost something. The time varies, so that turns aren't all retried at the same moment.
 */
export function putOffMs(
  { freeInMs, usage, toolCalls }: Pick<Answer, 'freeInMs' | 'usage' | 'toolCalls'>,
  { answerMs, triedMs }: { answerMs: number; triedMs: number },
): number | undefined {
  if (freeInMs === undefined || usage.inputTokens + usage.outputTokens > 0 || toolCalls.length > 0)
    return undefined;
  const waitMs = Math.max(freeInMs, leastWaitMs);
  const spareMs = answerMs - triedMs - leastOf(answerMs) - waitMs;
  return spareMs < 0 ? undefined : Math.ceil(waitMs + Math.min(spareMs, waitMs / 4) * Math.random());
}
