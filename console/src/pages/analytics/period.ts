/** A period of whole UTC days, both included, as `YYYY-MM-DD`. */
export interface Period {
  from: string;
  to: string;
}

const dayMs = 24 * 3600_000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const lastDays = (days: number, now: number): Period => ({
  from: dayOf(now - (days - 1) * dayMs),
  to: dayOf(now),
});

/** A calendar month: 0 is the current one, -1 the one before. */
function monthOf(offset: number, now: number): Period {
  const date = new Date(now);
  const startOf = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  return { from: dayOf(startOf(offset)), to: dayOf(startOf(offset + 1) - dayMs) };
}

/** The name of a calendar month, for example "November 2026". */
const monthName = ({ from }: Period): string =>
  new Date(from).toLocaleString(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

export const usualDays = 30;

/** The periods that are one choice away, with their names. */
export function namedPeriods(now: number): readonly (Period & { name: string })[] {
  const months = [0, -1, -2].map((offset) => monthOf(offset, now));
  return [
    { name: 'Last 7 days', ...lastDays(7, now) },
    { name: `Last ${usualDays} days`, ...lastDays(usualDays, now) },
    { name: 'Last 365 days', ...lastDays(365, now) },
    ...months.map((month) => ({ name: monthName(month), ...month })),
  ];
}
