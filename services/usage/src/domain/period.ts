/** A span of whole days in UTC; `end` is the first moment that doesn't belong to it. */
export interface Period {
  start: Date;
  end: Date;
}

/** The calendar month, in UTC, that holds this moment (decisions 7). */
export function monthOf(moment: Date): Period {
  const year = moment.getUTCFullYear();
  const month = moment.getUTCMonth();
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The day of a moment in UTC, as `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
