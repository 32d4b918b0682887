import type { ListDeadLettersQuery } from '@botyard/contracts/http/interactions';
import type { AnyTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, ilike, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { containing, sorted } from '@botyard/shared/db/sorting';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { inChats, type MessageInChat } from '../../conversations/store/interactions.ts';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import { isWithin, type Reach } from '../../store/reach.ts';
import { bots, conversations, messages } from '../../store/schema.ts';

const maxAtOnce = 500;
/** The most messages in one request to the webhooks service. */
const maxLostAtOnce = 100;

/** Dead messages within reach, one more than the page's limit. */
export async function listDeadLetters(
  tx: AnyTx,
  reach: Reach,
  query: ListDeadLettersQuery,
): Promise<MessageInChat[]> {
  const { after, order } = sorted(query, { createdAt: null }, messages.messageId);
  return await inChats(tx)
    .where(
      and(
        isWithin(messages.tenantId, reach),
        // Written as in the index, so that it is used.
        sql`${messages.status} = 'dead'`,
        query.q ? ilike(messages.text, containing(query.q)) : undefined,
        query.botId ? eq(conversations.botId, query.botId) : undefined,
        query.chatId ? eq(conversations.chatId, query.chatId) : undefined,
        after,
      ),
    )
    .orderBy(...order)
    .limit(query.limit + 1);
}

/** Returns `undefined` while the bot isn't known. */
export async function isBotOff(tx: TenantTx, tenantId: string, botId: string): Promise<boolean | undefined> {
  const [bot] = await tx.db
    .select({ isEnabled: bots.isEnabled, deletedAt: bots.deletedAt })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId)));
  return bot && (!bot.isEnabled || bot.deletedAt !== null);
}

const lost = columns({ messageId: messages.messageId, seq: messages.seq });
const lostText = typedSql`select ${lost} from agents.messages
  where tenant_id = $1 and conversation_id = $2 and status = 'dead' and delivery_id is null
    and ($3::uuid[] is null or message_id = any ($3::uuid[])) order by seq limit ${maxLostAtOnce}`;

/** Dead letters of messages that never arrived. Only their positions are known. */
export const listLostDeadLetters = preparedStatement({
  name: 'agents.dead_letters.lost',
  text: lostText,
  values: (
    { tenantId, conversationId }: Pick<ConversationRow, 'tenantId' | 'conversationId'>,
    messageIds: readonly string[] | null = null,
  ) => [tenantId, conversationId, messageIds],
});

const requeueText = typedSql`with revived as (
    update agents.messages set status = 'queued', last_error = null, dead_at = null, tries = null, is_for_staff = false
    where tenant_id = $1 and status = 'dead' and message_id in (
      select message_id from agents.messages where tenant_id = $1 and conversation_id = $2 and status = 'dead' and delivery_id is not null
        and ($3::uuid[] is null or message_id = any ($3::uuid[])) order by seq limit ${maxAtOnce})
    returning message_id, seq
  ), touched as (
    update agents.conversations c set failures = 0, stopped_seq = null, waiting_since = coalesce(c.waiting_since, now()),
      ready_at = greatest(case when c.failures > 0 then c.ready_at end, now())
    where tenant_id = $1 and conversation_id = $2 and ($4::boolean or exists (select from revived))
  )
  select ${columns({ messageId: messages.messageId })} from revived order by seq`;

/**
 * Puts dead messages of a conversation back into its queue: those with the given ids, or the oldest ones up to a limit.
 * Messages that never arrived stay dead.
 *
 * Pending messages of the conversation get all their attempts again, after the pause that is already set. An earlier
 * request to stop no longer counts, also for others that are replayed with these (`hasOthers`). Returns the ids of the
 * messages that were dead, so a second caller gets none.
 */
export async function requeueDeadLetters(
  tx: TenantTx,
  { tenantId, conversationId }: Pick<ConversationRow, 'tenantId' | 'conversationId'>,
  { messageIds, hasOthers }: { messageIds: readonly string[] | null; hasOthers: boolean },
): Promise<string[]> {
  const rows = await tx.query({
    name: 'agents.dead_letters.requeue',
    text: requeueText,
    values: [tenantId, conversationId, messageIds, hasOthers],
  });
  return rows.map(({ messageId }) => messageId);
}

/** Returns `false` when the message isn't dead. */
export const dropDeadLetter = preparedStatement({
  name: 'agents.dead_letters.drop',
  text: `update agents.messages set status = 'ignored', dead_at = null
         where tenant_id = $1 and message_id = $2 and status = 'dead' returning 1`,
  values: (tenantId: string, messageId: string) => [tenantId, messageId],
  result: (rows) => rows.length > 0,
});
