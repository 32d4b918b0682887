import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import {
  type Cancellation,
  cancellationColumns,
  notCancelled,
} from '../../conversations/store/chat-states.ts';
import type { BotRow } from '../../store/bots.ts';
import { type BoundApp, boundApps, routedAgent } from './bound-apps.ts';
import type { GroupRow } from './groups.ts';

/** What an agent is chosen by. */
export interface RoutedAgent {
  id: string;
  name: string;
  description: string;
  keywords: string[];
  capabilityIds: string[];
  isEnabled: boolean;
  version: number;
}

export interface RoutedCapability {
  id: string;
  name: string;
  description: string;
  keywords: string[];
  version: number;
}

/** An assignment whose place a conversation is in, with its agent. */
export interface PlacedAssignment {
  assignmentId: string;
  chatId: string | null;
  groupId: string | null;
  kind: ChatPlace['kind'] | null;
  threadId: string | null;
  keywords: string[];
  language: string | null;
  priority: number;
  agent: RoutedAgent;
}

/** What decides who answers beside the bot and its agents, as it is at one moment. */
export interface RoutingView {
  group: Pick<GroupRow, 'groupId' | 'answersWhen' | 'topics'> | null;
  /** In no order. */
  assignments: PlacedAssignment[];
  /** Those of the bot's agents. */
  capabilities: RoutedCapability[];
  /** Apps that serve there, in no order. */
  apps: BoundApp[];
}

export const nothingRouted: RoutingView = { group: null, assignments: [], capabilities: [], apps: [] };

/** Where a conversation is: its bot, what decides there who answers, and what ends messages unanswered. */
export interface PlaceView {
  bot: BotRow | undefined;
  routing: RoutingView;
  cancellation: Cancellation;
  /** Position of the next reply; `null` without a conversation. */
  nextReplySeq: number | null;
}

export const getRoutingView = async (tx: TenantTx, place: Place): Promise<RoutingView> =>
  (await getPlaceView(tx, place)).routing;

interface Place {
  tenantId: string;
  botId: string;
  conversationId: string | null;
}

/** One statement, to be sent together with others. Without a conversation, assignments to everywhere are the only ones that hold. */
export async function getPlaceView(
  tx: TenantTx,
  { tenantId, botId, conversationId }: Place,
): Promise<PlaceView> {
  const [row] = await tx.query<BotRow & RoutingView & Cancellation & NextReply & Record<string, unknown>>({
    name: 'agents.turn.place',
    text: placeText,
    values: [tenantId, botId, conversationId],
  });
  if (!row) return { bot: undefined, routing: nothingRouted, cancellation: notCancelled, nextReplySeq: null };
  const { group, assignments, capabilities, apps, nextReplySeq, ...rest } = row;
  const { stoppedSeq, blockedAt, mutedFence, handbackAt, ...bot } = rest;
  return {
    bot,
    routing: { group, assignments, capabilities, apps },
    cancellation: { stoppedSeq, blockedAt, mutedFence, handbackAt },
    nextReplySeq,
  };
}

type NextReply = Pick<PlaceView, 'nextReplySeq'>;

const placeText = `select b.tenant_id as "tenantId", b.bot_id as "botId", b.name, b.agent_ids as "agentIds", b.is_enabled as "isEnabled",
    b.join_window_ms as "joinWindowMs", b.answer_deadline_seconds as "answerDeadlineSeconds",
    b.delay_notice_seconds as "delayNoticeSeconds", b.answer_within_minutes as "answerWithinMinutes",
    b.handback_after_minutes as "handbackAfterMinutes", b.default_language as "defaultLanguage", b.words, b.revision, b.deleted_at as "deletedAt", ${cancellationColumns},
    c.next_reply_seq::float8 as "nextReplySeq",
    (select json_build_object('groupId', g.group_id, 'answersWhen', g.answers_when, 'topics', g.topics)
      where g.group_id is not null) as "group",
    coalesce((select json_agg(json_build_object('assignmentId', a.assignment_id, 'chatId', a.chat_id,
        'groupId', a.group_id, 'kind', a.kind, 'threadId', a.thread_id, 'keywords', a.keywords,
        'language', a.language, 'priority', a.priority, 'agent', ${routedAgent}))
      from agents.bot_assignments a
      join agents.agent_definitions d on d.tenant_id = a.tenant_id and d.id = a.agent_id
      where a.tenant_id = b.tenant_id and a.bot_id = b.bot_id
        and (a.chat_id is null or a.chat_id = c.chat_id) and (a.group_id is null or a.group_id = g.group_id)
        and (a.kind is null or a.kind = c.place ->> 'kind')
        and (a.thread_id is null or a.thread_id = coalesce(c.place ->> 'threadId', 'general'))), '[]') as assignments,
    coalesce((select json_agg(json_build_object('id', k.id, 'name', k.name, 'description', k.description,
        'keywords', k.keywords, 'version', k.version) order by k.id)
      from agents.capability_definitions k
      where k.tenant_id = b.tenant_id and k.id in (select unnest(d.capability_ids) from agents.agent_definitions d
        where d.tenant_id = b.tenant_id and d.id = any (b.agent_ids))), '[]') as capabilities,
    ${boundApps} as apps
  from agents.bots b
  left join agents.conversations c on c.tenant_id = b.tenant_id and c.conversation_id = $3 and c.bot_id = b.bot_id
  left join agents.bot_groups g on g.tenant_id = b.tenant_id and g.bot_id = b.bot_id
    and g.platform_chat_id = c.place ->> 'platformChatId'
  left join agents.chat_states s on s.tenant_id = b.tenant_id and s.bot_id = b.bot_id
    and s.platform_chat_id = c.place ->> 'platformChatId' and s.state = 'blocked'
  where b.tenant_id = $1 and b.bot_id = $2`;

export async function listRoutedCapabilities(
  tx: TenantTx,
  tenantId: string,
  ids: readonly string[],
): Promise<RoutedCapability[]> {
  return await tx.query<RoutedCapability & Record<string, unknown>>({
    name: 'agents.capabilities.routed',
    text: `select id, name, description, keywords, version from agents.capability_definitions
           where tenant_id = $1 and id = any ($2::uuid[]) order by id`,
    values: [tenantId, [...ids]],
  });
}
