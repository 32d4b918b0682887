import type { TenantTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { allOf, like, number, one, orNull, rowByKey, shape } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { type Cancellation, cancellation, notCancelled } from '../../conversations/store/chat-states.ts';
import type { BotRow } from '../../store/bots.ts';
import { chatKeyText, topicText } from '../../store/chat-key.ts';
import { summaries } from '../../store/context-schema.ts';
import { capabilityDefinitions } from '../../store/definitions-schema.ts';
import { botAssignments, botGroups } from '../../store/routing-schema.ts';
import { bots, conversations } from '../../store/schema.ts';
import { type BoundApp, boundApps, routedAgent } from './bound-apps.ts';

/** The fields of an agent that routing needs. */
export type RoutedAgent = RowOf<typeof routedAgent>;

const k = alias(capabilityDefinitions, 'k');
const capabilityParts = pick(k, 'id', 'name', 'description', 'keywords', 'version');
const routedCapability = shape(capabilityParts);
export type RoutedCapability = RowOf<typeof routedCapability>;

const a = alias(botAssignments, 'a');
const placedAssignment = shape({
  ...pick(a, 'assignmentId', 'chatId', 'groupId', 'kind', 'threadId', 'keywords', 'language', 'priority'),
  agent: one(routedAgent),
});
/** An assignment that covers a conversation's place, with its agent. */
export type PlacedAssignment = RowOf<typeof placedAssignment>;

const g = alias(botGroups, 'g');
const groupRules = shape({ groupId: g.groupId, answersWhen: g.answersWhen, topics: g.topics });

/** The rules of routing besides the bot and its agents, read at one moment. */
export interface RoutingView {
  group: RowOf<typeof groupRules> | null;
  /** In no order. */
  assignments: PlacedAssignment[];
  /** The capabilities of the bot's agents. */
  capabilities: RoutedCapability[];
  /** The apps bound to this place, in no order. */
  apps: BoundApp[];
}

export const nothingRouted: RoutingView = { group: null, assignments: [], capabilities: [], apps: [] };

/**
 * The place of a conversation: its bot, the rules for who answers there, and the reasons to leave messages unanswered.
 */
export interface PlaceView {
  bot: BotRow | undefined;
  routing: RoutingView;
  cancellation: Cancellation;
  /** Position of the next reply; `null` without a conversation. */
  nextReplySeq: number | null;
  /** The summary of messages older than the context; `null` when there is none. */
  summary: string | null;
}

const nowhere: PlaceView = {
  bot: undefined,
  routing: nothingRouted,
  cancellation: notCancelled,
  nextReplySeq: null,
  summary: null,
};

export async function getRoutingView(tx: TenantTx, place: Place): Promise<RoutingView> {
  const [view] = await getPlaceViews(tx, [place]);
  return view!.routing;
}

interface Place {
  tenantId: string;
  botId: string;
  conversationId: string | null;
}

/**
 * One statement, to be sent together with others. Without a conversation, only assignments that apply everywhere match.
 */
export async function getPlaceViews(tx: TenantTx, places: readonly Place[]): Promise<PlaceView[]> {
  const rows = await tx.query({
    name: 'agents.turn.places',
    text: placesText,
    values: wanted.values(places),
  });
  const viewsByPlace = new Map(rows.map((row) => [row.ordinality, toView(row)]));
  return places.map((_, index) => viewsByPlace.get(index + 1) ?? nowhere);
}

function toView({ ordinality, ...row }: RowOf<typeof placesText>): PlaceView {
  const { group, assignments, capabilities, apps, nextReplySeq, summary, ...rest } = row;
  const { stoppedSeq, blockedAt, mutedFence, handbackAt, ...bot } = rest;
  return {
    bot,
    routing: { group, assignments, capabilities, apps },
    cancellation: { stoppedSeq, blockedAt, mutedFence, handbackAt },
    nextReplySeq,
    summary,
  };
}

const { tenantId, conversationId, botId } = conversations;
const wanted = unnest('wanted', { tenantId, botId, conversationId });

/** The condition on the bot must not be evaluated with an index of the bot's conversations: see decision 66. */
const placesText = typedSql`select ${columns({
  ordinality: number('wanted.ordinality'),
  ...getTableColumns(alias(bots, 'b')),
  ...cancellation,
  nextReplySeq: orNull(alias(conversations, 'c').nextReplySeq),
  summary: orNull(
    like(
      summaries.text,
      `(select earlier.text from agents.summaries earlier where c.summarized_until is not null
        and earlier.tenant_id = c.tenant_id and earlier.conversation_id = c.conversation_id)`,
    ),
  ),
  group: orNull(one(groupRules, `(select ${groupRules} where g.group_id is not null)`)),
  assignments: allOf(
    placedAssignment,
    `from agents.bot_assignments a
      cross join ${rowByKey('agents.agent_definitions', 'd', { tenant_id: 'a.tenant_id', id: 'a.agent_id' })}
      where a.tenant_id = b.tenant_id and a.bot_id = b.bot_id
        and (a.chat_id is null or a.chat_id = c.chat_id) and (a.group_id is null or a.group_id = g.group_id)
        and (a.kind is null or a.kind = c.place ->> 'kind')
        and (a.thread_id is null or a.thread_id = ${topicText})`,
  ),
  capabilities: allOf(
    routedCapability,
    `from (select distinct unnest(d.capability_ids) as id from unnest(b.agent_ids) as listed (id)
        cross join ${rowByKey('agents.agent_definitions', 'd', { tenant_id: 'b.tenant_id', id: 'listed.id' })}) used
      cross join ${rowByKey('agents.capability_definitions', 'k', { tenant_id: 'b.tenant_id', id: 'used.id' })}`,
    'k.id',
  ),
  apps: boundApps,
})}
  from ${wanted.numbered} join agents.bots b on b.tenant_id = wanted.tenant_id and b.bot_id = wanted.bot_id
  left join agents.conversations c on c.tenant_id = wanted.tenant_id and c.conversation_id = wanted.conversation_id
    and (c.bot_id = b.bot_id) is true
  left join agents.bot_groups g on g.tenant_id = b.tenant_id and g.bot_id = b.bot_id
    and g.platform_chat_id = ${chatKeyText}
  left join agents.chat_states s on s.tenant_id = b.tenant_id and s.bot_id = b.bot_id
    and s.platform_chat_id = ${chatKeyText} and s.state = 'blocked'`;

const capabilitiesText = typedSql`select ${columns(capabilityParts)} from agents.capability_definitions k
  where tenant_id = $1 and id = any ($2::uuid[]) order by id`;

export const listRoutedCapabilities = preparedStatement({
  name: 'agents.capabilities.routed',
  text: capabilitiesText,
  values: (tenantId: string, ids: readonly string[]) => [tenantId, [...ids]],
});
