import { maxPricedChats } from '@botyard/contracts/events/usage';
import type { ChatAnalytics, ChatAnalyticsQuery } from '@botyard/contracts/http/analytics';
import { withTenant } from '@botyard/shared/db/database';
import { handoverReasonOf } from '../../outcomes/domain/handover-reason.ts';
import { handedOver } from '../../tools/domain/run-tool.ts';
import type { Deps } from '../deps.ts';
import {
  type ChatScope,
  countHours,
  countOutcomes,
  countReasons,
  countTalk,
  listConversationsSaid,
  listUnanswered,
  measureResponses,
} from '../store/chat-analytics.ts';
import { dayMs, dayOf, periodOf } from './period.ts';

const silence = { chats: 0, messagesIn: 0, replies: 0, staffReplies: 0 };

/** How the chats of a period went. The cost is `null` if the usage service doesn't answer. */
export async function getChatAnalytics(
  deps: Pick<Deps, 'database' | 'usage' | 'log'>,
  tenantId: string,
  { from, to, ...filters }: ChatAnalyticsQuery,
): Promise<ChatAnalytics> {
  const { first, last } = periodOf({ from, to }, new Date());
  const scope: ChatScope = {
    tenantId,
    from: new Date(first),
    before: new Date(last + dayMs),
    botId: filters.botId ?? null,
    agentId: filters.agentId ?? null,
    platform: filters.platform ?? null,
    label: filters.label ?? null,
    handoverResult: handedOver,
  };
  const [figures, costMicroUsd] = await Promise.all([readFigures(deps, scope), costOf(deps, scope)]);
  const { talk, responses, reasons, ...rest } = figures;
  const talkOn = new Map(talk.map(({ day, ...counts }) => [day, counts]));
  const days = Array.from({ length: (last - first) / dayMs + 1 }, (_, place) => dayOf(first + place * dayMs));
  return {
    from: dayOf(first),
    to: dayOf(last),
    ...silence,
    ...talkOn.get(null),
    ...rest,
    takeovers: reasons.map(({ arguments: text, chats }) => ({ reason: handoverReasonOf(text), chats })),
    firstResponse: responses,
    costMicroUsd,
    days: days.map((day) => ({ day, ...silence, ...talkOn.get(day) })),
  };
}

async function readFigures({ database }: Pick<Deps, 'database'>, scope: ChatScope) {
  return await withTenant(database, [scope.tenantId], async (tx) => {
    const { medianMs, p90Ms, responses } = await measureResponses(tx, scope);
    return {
      talk: await countTalk(tx, scope),
      hours: await countHours(tx, scope),
      ...(await countOutcomes(tx, scope)),
      reasons: await countReasons(tx, scope),
      unanswered: await listUnanswered(tx, scope),
      responses:
        medianMs === null || p90Ms === null
          ? null
          : { medianMs: Math.round(medianMs), p90Ms: Math.round(p90Ms), responses },
    };
  });
}

const firstConversation = '00000000-0000-0000-0000-000000000000';

async function costOf(
  { database, usage, log }: Pick<Deps, 'database' | 'usage' | 'log'>,
  scope: ChatScope,
): Promise<number | null> {
  const { tenantId, botId, agentId, platform, label } = scope;
  const chats = {
    tenantId,
    from: scope.from.toISOString(),
    to: scope.before.toISOString(),
    ...(botId ? { botId } : {}),
    ...(agentId ? { agentId } : {}),
  };
  try {
    // The usage service knows bots and agents, but neither platforms nor labels.
    if (platform === null && label === null) return await usage.costOfChats(chats);
    let [cost, after] = [0, firstConversation];
    for (;;) {
      const batch = { after, limit: maxPricedChats };
      const conversationIds = await withTenant(database, [tenantId], (tx) =>
        listConversationsSaid(tx, scope, batch),
      );
      if (conversationIds.length > 0) cost += await usage.costOfChats({ ...chats, conversationIds });
      after = conversationIds.at(-1) ?? after;
      if (conversationIds.length < maxPricedChats) return cost;
    }
  } catch (error) {
    log.warn({ err: error }, 'analytics are returned without their cost');
    return null;
  }
}
