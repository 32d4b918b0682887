import type { Answer } from '../../answering/domain/answer-record.ts';

/**
 * All that could answer rests, and is free again within the message's time: the turn waits without a slot until then.
 */
export class PutOff extends Error {
  override readonly name = 'PutOff';
  readonly waitMs: number;
  /** How long the turn has been tried, from its first try on. */
  readonly triedMs: number;

  constructor(waitMs: number, triedMs: number) {
    super('what could answer rests');
    this.waitMs = waitMs;
    this.triedMs = triedMs;
  }
}

const leastWaitMs = 1000;
/** Least time for a try, however late it comes; a third of the message's time where that is short. */
const leastTryMs = 10_000;
const leastOf = (answerMs: number) => Math.min(leastTryMs, answerMs / 3);

/** How long a try may take, of a turn that has been tried for `triedMs`. */
export const tryMs = (answerMs: number, triedMs: number): number =>
  Math.ceil(Math.max(answerMs - triedMs, leastOf(answerMs)));

/**
 * In how many milliseconds a turn is tried again that found everything resting; `undefined` when nothing is free in
 * time, or when this try has cost something. Some are later than others, so that they don't all come at once.
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
