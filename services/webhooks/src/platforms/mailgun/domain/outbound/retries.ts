const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after temporary failures: 14 tries within 12 hours. */
const retryAfterMs = [2, 10, 30]
  .map((count) => count * second)
  .concat([2, 10, 20, 30, 60, 60, 120, 120, 120, 120].map((count) => count * minute));
/** The wait while all sending fails because a key is missing or wrong. */
export const keptForMs = 5 * minute;
/** Older mails are given up, because their answer is no longer expected. */
export const maxAgeMs = 72 * hour;

/** The wait after this many failed tries, with random spread; `undefined` after the last one. */
export function retryInMs(attempts: number): number | undefined {
  const waitMs = retryAfterMs[attempts - 1];
  return waitMs === undefined ? undefined : waitMs * (0.9 + Math.random() / 5);
}
