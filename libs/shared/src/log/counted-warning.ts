import type { Log } from './log.ts';

const minuteMs = 60_000;

export type CountedWarning = (cause: string, facts?: Readonly<Record<string, unknown>>) => void;

/**
 * A warning that may occur with every request, logged at most twice per cause and minute. The first one is logged
 * immediately; later ones are logged together at the end of the minute, with their count.
 */
export function createCountedWarning(log: Log, message: string): CountedWarning {
  const counts = new Map<string, number>();
  const tell = (cause: string, facts: Readonly<Record<string, unknown>>, count: number) => {
    log.warn({ cause, count, ...facts }, message);
    counts.set(cause, 0);
    const timer = setTimeout(() => {
      const since = counts.get(cause) ?? 0;
      if (since > 0) tell(cause, facts, since);
      else counts.delete(cause);
    }, minuteMs);
    timer.unref();
  };
  return (cause, facts = {}) => {
    const count = counts.get(cause);
    if (count === undefined) tell(cause, facts, 1);
    else counts.set(cause, count + 1);
  };
}
