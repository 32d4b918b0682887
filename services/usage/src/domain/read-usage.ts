import { noBotId } from '@botyard/contracts/events/usage';
import type { Usage } from '@botyard/contracts/http/usage';
import type { GroupName } from '@botyard/contracts/http/usage-query';
import { withTenant } from '@botyard/shared/db/database';
import { badRequest, invalid } from '@botyard/shared/http/errors';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { getQuota } from '../store/quotas.ts';
import { type GroupSums, sumUse, sumUseByGroup } from '../store/sums.ts';
import { platformKeyUse } from './allowance.ts';
import { currentPeriod, monthOf, type Period } from './period.ts';
import { totalOf } from './quota-periods.ts';

const maxDays = 400;
const dayMs = 86_400_000;
const maxGroups = 10_000;

interface UsageQuestion {
  from?: Date | undefined;
  to?: Date | undefined;
  groupBy?: readonly GroupName[] | undefined;
}

/**
 * The sums of a span of time, and on request a series of them. The span defaults to the quota's current period, or else
 * the calendar month. @throws HttpError 400 when the span is too long or empty.
 */
export async function readUsage(
  deps: Deps,
  tenantId: string,
  question: UsageQuestion,
): Promise<z.input<typeof Usage>> {
  const chosenSpan = spanOf(question, deps.now());
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const quota = chosenSpan ? undefined : await getQuota(tx, tenantId);
    const now = deps.now();
    const span = chosenSpan ?? (quota ? currentPeriod(quota, now) : monthOf(now));
    const [periodStart, periodEnd] = [span.start.toISOString(), span.end.toISOString()];
    const platformKeys = await platformKeyUse(deps, tx, tenantId);
    const usage = { periodStart, periodEnd, platformKeys };
    if (!question.groupBy) return { ...usage, counters: await sumUse(tx, tenantId, span) };
    const groupBy = timeFirst(question.groupBy);
    const groups = await sumUseByGroup(tx, tenantId, { span, groupBy, limit: maxGroups + 1 });
    if (groups.length > maxGroups)
      throw badRequest(`more than ${maxGroups} groups: request a shorter time, or group by fewer fields`);
    return { ...usage, counters: totalOf(groups), series: groups.map(toGroup) };
  });
}

/** Up to the end of today if only the beginning is given; from the beginning of the month if only the end is. */
function spanOf({ from, to }: UsageQuestion, now: Date): Period | undefined {
  if (!from && !to) return undefined;
  const end = to ?? new Date((Math.floor(now.getTime() / dayMs) + 1) * dayMs);
  const start = from ?? monthOf(new Date(end.getTime() - 1)).start;
  if (start >= end) throw invalid([{ path: [to ? 'to' : 'from'], message: 'must not end before it begins' }]);
  if (end.getTime() - start.getTime() > maxDays * dayMs)
    throw invalid([{ path: ['from'], message: `at most ${maxDays} days` }]);
  return { start, end };
}

const timeFirst = (names: readonly GroupName[]): GroupName[] =>
  names.toSorted((left, right) => Number(isTime(right)) - Number(isTime(left)));

const isTime = (name: GroupName): boolean => name === 'day' || name === 'month';

function toGroup(group: GroupSums) {
  const { messages, inputTokens, outputTokens, toolCalls, costMicroUsd, unpricedTurns, ...key } = group;
  return {
    ...key,
    ...(key.botId === noBotId ? { botId: null } : {}),
    counters: { messages, inputTokens, outputTokens, toolCalls, costMicroUsd, unpricedTurns },
  };
}
