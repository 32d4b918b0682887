import { sumSaid } from '@botyard/contracts/events/agents-requests';
import { sumUsed } from '@botyard/contracts/events/usage';
import {
  type ActivityQuery,
  type DashboardActivity,
  type DashboardPart,
  maxDays,
  maxHours,
} from '@botyard/contracts/http/dashboard';
import { ask } from '@botyard/shared/bus/requests';
import { invalid } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import { orNull } from './dashboard-status.ts';

const units = {
  hour: { ms: 3_600_000, most: maxHours, usual: 24 },
  day: { ms: 86_400_000, most: maxDays, usual: 30 },
} as const;

const silence = { messagesIn: 0, messagesOut: 0, answers: 0, failures: 0 };
const nothing = { inputTokens: 0, outputTokens: 0, toolCalls: 0, costMicroUsd: 0 };

interface Span {
  unit: 'hour' | 'day';
  from: number;
  to: number;
}

/** The whole hours or days that cover the requested span. @throws HttpError 400 for too many, or none. */
export function spanOfActivity({ unit, from, to }: ActivityQuery, now: Date): Span {
  const { ms, most, usual } = units[unit];
  const end = Math.ceil((to === undefined ? now.getTime() + 1 : Date.parse(to)) / ms) * ms;
  const begin = from === undefined ? end - usual * ms : Math.floor(Date.parse(from) / ms) * ms;
  if (begin >= end) throw invalid([{ path: ['from'], message: 'must be before `to`' }]);
  if (end - begin > most * ms)
    throw invalid([{ path: ['from'], message: `at most ${most} ${unit}s can be requested` }]);
  return { unit, from: begin, to: end };
}

/**
 * The activity of these tenants together, without gaps. The figures of a service that doesn't answer are 0, and the
 * service is named.
 */
export async function activityOf(
  { bus }: Pick<Deps, 'bus'>,
  tenantIds: readonly string[],
  span: Span,
): Promise<DashboardActivity> {
  const moment = (ms: number) => new Date(ms).toISOString();
  const question = {
    tenantIds: [...tenantIds],
    unit: span.unit,
    from: moment(span.from),
    to: moment(span.to),
  };
  const [said, used] = await Promise.all([
    orNull(ask(bus, sumSaid, question)),
    orNull(ask(bus, sumUsed, question)),
  ]);
  const saidAt = new Map(said?.series.map(({ at, ...figures }) => [at, figures]));
  const usedAt = new Map(used?.series.map(({ at, ...figures }) => [at, figures]));
  const { ms } = units[span.unit];
  const series = Array.from({ length: (span.to - span.from) / ms }, (_, place) => {
    const at = moment(span.from + place * ms);
    return { at, ...silence, ...saidAt.get(at), ...nothing, ...usedAt.get(at) };
  });
  const totals: DashboardActivity['totals'] = { ...silence, ...nothing };
  for (const { at: _, ...figures } of series)
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += figures[name];
  const unavailable: DashboardPart[] = [
    ...(said ? [] : ['agents' as const]),
    ...(used ? [] : ['usage' as const]),
  ];
  return { ...question, totals, series, unavailable };
}
