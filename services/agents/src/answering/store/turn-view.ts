import type { TenantTx } from '@botyard/shared/db/database';
import { typedSql } from '@botyard/shared/db/typed-sql';
import { isTextOf } from '@botyard/words/words';
import { type SaidRow, said } from '../../conversations/store/messages.ts';
import { type AgentAtWork, agentAtWorkColumns } from '../../definitions/store/agent-equipment.ts';
import { isNotice } from '../../external-tools/store/notices.ts';
import { getPlaceView, type PlaceView } from '../../routing/store/routing-view.ts';
import type { BotRow } from '../../store/bots.ts';

/** Everything that a turn is decided from, as it is at one moment. */
export interface TurnView extends PlaceView {
  /** The bot's agents, in its order. */
  agents: AgentAtWork[];
  /** Messages that wait for an answer, in order; also late ones, whose place was passed. */
  queued: SaidRow[];
  /** Earlier messages that still count as context: the newest first. */
  context: SaidRow[];
}

const maxQueued = 50;

const agentsText = typedSql`select ${agentAtWorkColumns}
  from agents.bots b cross join unnest(b.agent_ids) with ordinality as wanted (id, place)
  join agents.agent_definitions d on d.tenant_id = b.tenant_id and d.id = wanted.id
  where b.tenant_id = $1 and b.bot_id = $2 order by wanted.place`;

/** Messages that wait for an answer, then earlier ones. */
const messagesText = typedSql`(select ${said} from agents.messages
    where tenant_id = $1 and conversation_id = $2 and direction = 'in' and status = 'queued' order by seq limit ${maxQueued})
  union all (select ${said} from agents.messages
    where tenant_id = $1 and conversation_id = $2 and (status in ('answered', 'sending', 'sent', 'uncertain')
        or (status = 'ignored' and is_for_staff and refusal is null))
      and (text <> '' or (attachment -> 'read') is not null)
      and created_at > coalesce((select context_from from agents.conversations
        where tenant_id = $1 and conversation_id = $2), '-infinity') order by message_id desc limit $3)`;

interface ConversationOfBot {
  tenantId: string;
  botId: string;
  conversationId: string;
}

/**
 * Reads it in one round trip: the statements are prepared and sent together. Of what was said before, that an answer
 * takes longer is left out: it is no part of the conversation.
 */
export async function getTurnView(
  tx: TenantTx,
  { tenantId, botId, conversationId }: ConversationOfBot,
  { maxContextMessages }: { maxContextMessages: number },
): Promise<TurnView> {
  const [place, agents, messages] = await Promise.all([
    getPlaceView(tx, { tenantId, botId, conversationId }),
    tx.query({ name: 'agents.turn.agents', text: agentsText, values: [tenantId, botId] }),
    tx.query({
      name: 'agents.turn.messages',
      text: messagesText,
      values: [tenantId, conversationId, maxContextMessages],
    }),
  ]);
  const queued = messages.filter(({ status }) => status === 'queued');
  const context = withoutDelays(place.bot, inSequence(messages.filter(({ status }) => status !== 'queued')));
  return { ...place, agents, queued, context };
}

/** A notice that an answer takes longer is no part of the conversation. */
const withoutDelays = (bot: BotRow | undefined, said: SaidRow[]): SaidRow[] =>
  said.filter(
    ({ direction, agentId, staffId, text }) =>
      direction === 'in' || agentId !== null || staffId !== null || !isTextOf('delay', text, bot ?? {}),
  );

/**
 * Puts messages that come newest first into the order of the conversation, the newest first again: by the positions of
 * what was said, each reply after what it answers. One without a position, of an earlier release, stays after what came
 * before it.
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
