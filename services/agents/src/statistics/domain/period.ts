import {
  type ChatAnalyticsQuery,
  maxAnalyticsDays,
  usualAnalyticsDays,
} from '@botyard/contracts/http/analytics';
import { invalid } from '@botyard/shared/http/errors';

export const dayMs = 86_400_000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * The first day and the last one of the requested period.
 * @throws HttpError 400 if it ends before it begins, or is too long.
 */
export function periodOf(
  { from, to }: Pick<ChatAnalyticsQuery, 'from' | 'to'>,
  now: Date,
): { first: number; last: number } {
  const last = Date.parse(to ?? dayOf(now.getTime()));
  const first = from === undefined ? last - (usualAnalyticsDays - 1) * dayMs : Date.parse(from);
  if (first > last) throw invalid([{ path: ['from'], message: 'must not be after `to`' }]);
  if (last - first >= maxAnalyticsDays * dayMs)
    throw invalid([{ path: ['from'], message: `at most ${maxAnalyticsDays} days can be requested` }]);
  return { first, last };
}
