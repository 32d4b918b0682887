/** A span of whole days in UTC, unless a reset cut it; `end` is the first moment after it. */
export interface Period {
  start: Date;
  end: Date;
}

/** The calendar month of this moment, in UTC (REQ-USAGE-1). */
export function monthOf(moment: Date): Period {
  const year = moment.getUTCFullYear();
  const month = moment.getUTCMonth();
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The day of a moment in UTC, as `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

const dayMs = 86_400_000;

function calendarDayOf(moment: Date): Period {
  const start = Math.floor(moment.getTime() / dayMs) * dayMs;
  return { start: new Date(start), end: new Date(start + dayMs) };
}

/** The fields of a quota that determine its periods. */
interface Periodic {
  period: 'month' | 'day';
  resetAt: Date | null;
}

/** The quota's period at a moment: a calendar period, which a reset splits into before and after. */
export function periodOf({ period, resetAt }: Periodic, moment: Date): Period {
  const calendar = period === 'day' ? calendarDayOf(moment) : monthOf(moment);
  if (!resetAt || resetAt <= calendar.start || resetAt >= calendar.end) return calendar;
  return moment < resetAt ? { start: calendar.start, end: resetAt } : { start: resetAt, end: calendar.end };
}

/** The current period. It is never one from before the reset, even if clocks disagree. */
export function currentPeriod(quota: Periodic, now: Date): Period {
  return periodOf(quota, quota.resetAt && quota.resetAt > now ? quota.resetAt : now);
}
