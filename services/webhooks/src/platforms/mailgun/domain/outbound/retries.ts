const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** After each failure that may pass: 14 tries within 12 hours. */
const retryAfterMs = [2, 10, 30]
  .map((count) => count * second)
  .concat([2, 10, 20, 30, 60, 60, 120, 120, 120, 120].map((count) => count * minute));
/** Where nothing can be sent for anybody: a key that is missing or wrong. */
export const keptForMs = 5 * minute;
/** What was kept for so long is given up: its answer is no longer waited for. */
export const maxAgeMs = 72 * hour;

/** After how long a mail is tried again that failed so often, spread; `undefined` when that was its last try. */
export function retryInMs(attempts: number): number | undefined {
  const waitMs = retryAfterMs[attempts - 1];
  return waitMs === undefined ? undefined : waitMs * (0.9 + Math.random() / 5);
}
