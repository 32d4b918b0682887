const dayMs = 24 * 3600_000;
/** The days of a week. */
export const days = 7;

export const chatFiguresPath = '/api/analytics/chats';
export const activityPath = '/api/dashboard/activity';

/** The queries of the last seven days in UTC, today among them, and of the seven before. They change once a day. */
export function weekQueries(now: number) {
  const dayBefore = (back: number) => new Date(now - back * dayMs).toISOString().slice(0, 10);
  const weekUntil = (back: number) => ({ from: dayBefore(back + days - 1), to: dayBefore(back) });
  return {
    thisWeek: weekUntil(0),
    lastWeek: weekUntil(days),
    bothWeeks: { unit: 'day', from: `${dayBefore(2 * days - 1)}T00:00:00Z` },
  } as const;
}
