import type { OutcomeAnalytics, OutcomeAnalyticsQuery } from '@botyard/contracts/http/analytics';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import {
  countSessions,
  countSessionsBy,
  type SessionCounts,
  type SessionGroup,
  type SessionScope,
} from '../store/outcome-counts.ts';
import { dayMs, dayOf, periodOf } from './period.ts';

/** The outcomes of a period's sessions, in total and by group. @throws HttpError 400 as `periodOf`. */
export async function getOutcomeAnalytics(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  { from, to, by, ...filters }: OutcomeAnalyticsQuery,
): Promise<OutcomeAnalytics> {
  const { first, last } = periodOf({ from, to }, new Date());
  const scope: SessionScope = {
    tenantId,
    from: new Date(first),
    before: new Date(last + dayMs),
    botId: filters.botId ?? null,
    agentId: filters.agentId ?? null,
    version: filters.version ?? null,
    platform: filters.platform ?? null,
    label: filters.label ?? null,
  };
  return await withTenant(database, [tenantId], async (tx) => {
    const total = await countSessions(tx, scope);
    const groups = await countSessionsBy(tx, by, scope);
    return {
      from: dayOf(first),
      to: dayOf(last),
      ...toFigures(total),
      groups: groups.map((group) => toGroup(by, group)),
    };
  });
}

const toFigures = ({ sessions, undecided, costMicroUsd, durationMs, ...outcomes }: SessionCounts) => ({
  sessions,
  undecided,
  outcomes,
  costMicroUsd,
  durationMs,
});

function toGroup(by: OutcomeAnalyticsQuery['by'], group: SessionGroup): OutcomeAnalytics['groups'][number] {
  const { agentId, agentVersion, botId, platform, week, name, ...counts } = group;
  return {
    ...toFigures(counts),
    ...(agentId === null ? {} : { agentId }),
    ...(by === 'version' ? { agentVersion } : {}),
    ...(botId === null ? {} : { botId }),
    ...(platform === null ? {} : { platform }),
    ...(week === null ? {} : { week }),
    name,
  };
}
