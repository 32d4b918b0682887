import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { rowByKey } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { isTextOf } from '@botyard/words/words';
import { type SaidRow, said } from '../../conversations/store/messages.ts';
import { isNotice } from '../../conversations/store/notice-positions.ts';
import { type AgentAtWork, agentAtWork } from '../../definitions/store/agent-equipment.ts';
import { getPlaceViews, type PlaceView } from '../../routing/store/routing-view.ts';
import type { BotRow } from '../../store/bots.ts';
import { bots, conversations } from '../../store/schema.ts';

/** Everything that decides a turn, read at one moment. */
export interface TurnView extends PlaceView {
  /** The bot's agents, in the bot's order. */
  agents: AgentAtWork[];
  /** Messages that wait for an answer, in order, including late ones whose position has been passed. */
  queued: SaidRow[];
  /** Earlier messages that still count as context, newest first. */
  context: SaidRow[];
}

const maxQueued = 50;
/** How many earlier messages are worth reading from the database. */
export const maxContextMessages = 60;

const { tenantId, conversationId } = conversations;
const wantedBots = unnest('wanted', { tenantId, botId: bots.botId });
const wanted = unnest('wanted', { tenantId, conversationId });

const agentsText = typedSql`select ${columns({ ...agentAtWork, botId: alias(bots, 'b').botId })}
  from ${wantedBots} join agents.bots b on b.tenant_id = wanted.tenant_id and b.bot_id = wanted.bot_id
  cross join unnest(b.agent_ids) with ordinality as listed (id, place)
  cross join ${rowByKey('agents.agent_definitions', 'd', { tenant_id: 'b.tenant_id', id: 'listed.id' })}
  order by listed.place`;

/**
 * The messages of each conversation: first those that wait for an answer, then earlier ones. The tenant is written so
 * that no index answers it: the tenant's messages in order are far more than the conversation's (decision 66). Only
 * incoming messages wait; the direction isn't written, so that an index without it answers.
 */
const messagesText = typedSql`select m.* from ${wanted} cross join lateral ((select ${said} from agents.messages
    where tenant_id = wanted.tenant_id and conversation_id = wanted.conversation_id
      and status = 'queued' order by seq limit ${maxQueued})
  union all (select ${said} from agents.messages
    where (tenant_id = wanted.tenant_id) is true and conversation_id = wanted.conversation_id
      and (status in ('answered', 'sending', 'sent', 'uncertain')
        or (status = 'ignored' and is_for_staff and refusal is null))
      and (text <> '' or (attachment -> 'read') is not null) and not is_left_out
      and created_at > coalesce((select context_from from agents.conversations c
        where c.tenant_id = wanted.tenant_id and c.conversation_id = wanted.conversation_id), '-infinity')
    order by message_id desc limit ${maxContextMessages})) m`;

export interface ConversationOfBot {
  tenantId: string;
  botId: string;
  conversationId: string;
}

/**
 * Reads the views of all these conversations in one round trip: the statements are prepared and sent together. The
 * context leaves out notices that an answer takes longer, and questions if one helped.
 */
export async function getTurnViews(tx: TenantTx, of: readonly ConversationOfBot[]): Promise<TurnView[]> {
  const ofBots = new Map(of.map((conversation) => [botKey(conversation), conversation]));
  const once = new Map(of.map((conversation) => [conversationKey(conversation), conversation]));
  const [places, agents, messages] = await Promise.all([
    getPlaceViews(tx, of),
    tx.query({
      name: 'agents.turns.agents',
      text: agentsText,
      values: wantedBots.values([...ofBots.values()]),
    }),
    tx.query({
      name: 'agents.turns.messages',
      text: messagesText,
      values: wanted.values([...once.values()]),
    }),
  ]);
  const agentsOf = Map.groupBy(agents, botKey);
  const messagesOf = Map.groupBy(messages, conversationKey);
  return of.map((conversation, index) => {
    const place = places[index]!;
    const ofAll = messagesOf.get(conversationKey(conversation)) ?? [];
    const queued = ofAll.filter(({ status }) => status === 'queued');
    const before = ofAll.filter(({ status, ratedReplyId }) => status !== 'queued' && ratedReplyId === null);
    const context = withoutDelays(place.bot, inSequence(before));
    return { ...place, agents: agentsOf.get(botKey(conversation)) ?? [], queued, context };
  });
}

const botKey = ({ tenantId, botId }: Pick<ConversationOfBot, 'tenantId' | 'botId'>) => `${tenantId} ${botId}`;
const conversationKey = (of: Pick<ConversationOfBot, 'tenantId' | 'conversationId'>) =>
  `${of.tenantId} ${of.conversationId}`;

/** A notice that an answer takes longer isn't part of the conversation. */
const withoutDelays = (bot: BotRow | undefined, said: SaidRow[]): SaidRow[] =>
  said.filter(
    ({ direction, agentId, staffId, text }) =>
      direction === 'in' || agentId !== null || staffId !== null || !isTextOf('delay', text, bot ?? {}),
  );

/**
 * Sorts messages into the order of the conversation, newest first. Messages from the person are placed by their
 * positions, and each reply follows the messages that it answers. A message of an earlier release, without a position,
 * stays after the one before it.
 */
export function inSequence<Row extends Pick<SaidRow, 'direction' | 'seq' | 'afterSeq'>>(
  newestFirst: readonly Row[],
): Row[] {
  let lastSaid = Number.NEGATIVE_INFINITY;
  const placed = newestFirst.toReversed().map((row) => {
    const isSaid = row.direction === 'in' && !isNotice(row);
    if (isSaid) lastSaid = Math.max(lastSaid, row.seq);
    const place = isSaid ? row.seq : (row.afterSeq ?? lastSaid);
    return { row, place, rank: isSaid ? 0 : 1 };
  });
  // The sort is stable: rows behind the same message keep their order.
  placed.sort((left, right) => left.place - right.place || left.rank - right.rank);
  return placed.map(({ row }) => row).reverse();
}
