import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, parts, replies } from '../../store/schema.ts';
import { columnsOfPayload, type NewPart, type NewReply } from './replies.ts';
import { newFence } from './sender-processes.ts';
import { leaseSeconds, worthMinutes } from './sending.ts';

/** A reply whose chat may be free. */
interface ReplyToBegin {
  reply: NewReply;
  /** The person who receives the reply. */
  personId: string;
  platformChatId: string;
  /** The interval of the chat's pace. */
  intervalMs: number;
  parts: readonly NewPart[];
}

const begunReply = columns({
  replyId: replies.replyId,
  /** The fence of the chat's claim. */
  fence: chats.fence,
  /** Its first part is begun. Otherwise its chat is claimed and the reply waits for the bot's pace. */
  hasBegun: boolean('has_begun'),
  /** The time in ms for which it is worth sending. */
  worthMs: number(`extract(epoch from greatest(
    coalesce(answer_until, coalesce(asked_at, now()) + interval '${worthMinutes} minutes') - now(),
    interval '1 minute')) * 1000`),
});
export type BegunReply = RowOf<typeof begunReply>;

/** The owner of the claims, how many messages a bot and a chat may send in a burst, and a bot's interval. */
interface BeginOptions {
  processId: string;
  bot: { intervalMs: number; burst: number };
  chatBurst: number;
}

const { state, createdAt, stopsEarlier, ...replyColumns } = getTableColumns(replies);
const input = unnest('a', {
  ...replyColumns,
  personId: 'uuid',
  platformChatId: chats.platformChatId,
  intervalMs: 'float8',
});
const partColumns = pick(parts, 'partId', 'threadId', 'payload');
const inputParts = unnest('p', { partOf: replies.replyId, ...partColumns, isFirst: 'boolean' });

const botInterval = `make_interval(secs => $botIntervalMs::float8 / 1000)`;

const beginText = typedSql`with asked as materialized (
    select a.*, row_number() over (partition by a.tenant_id, a.bot_id order by a.platform_chat_id) as place_of_bot
    from ${input}
    join webhooks.reply_turns turn on turn.tenant_id = a.tenant_id and turn.conversation_id = a.conversation_id
      and turn.next_reply_seq = a.reply_seq
    where not exists (select from webhooks.replies w
        where w.tenant_id = a.tenant_id and w.conversation_id = a.conversation_id and w.state = 'waiting')
      and not exists (select from webhooks.chat_moves m
        where m.tenant_id = a.tenant_id and m.bot_id = a.bot_id and m.from_chat_id = a.platform_chat_id)
      and not exists (select from webhooks.erased_people e
        where e.tenant_id = a.tenant_id and e.person_id = a.person_id and coalesce(a.asked_at, now()) <= e.erased_before)
  ), chat as (
    insert into webhooks.chats as c (tenant_id, bot_id, platform_chat_id, integration_id, platform, ready_at, lease_until,
      owner, fence, paced_until)
    select a.tenant_id, a.bot_id, a.platform_chat_id, a.integration_id, a.platform, now(), now() + interval '${leaseSeconds} seconds',
      $processId::uuid, ${newFence}, now() + make_interval(secs => a.interval_ms / 1000)
    from asked a left join webhooks.bot_paces p on p.tenant_id = a.tenant_id and p.bot_id = a.bot_id
    where coalesce(p.booked_until <= now(), true)
      and greatest(coalesce(p.paced_until, now()), now()) + a.place_of_bot * ${botInterval} <= now() + $botBurst::int * ${botInterval}
    order by 1, 2, 3
    on conflict (tenant_id, bot_id, platform_chat_id) do update set
      integration_id = excluded.integration_id, ready_at = excluded.ready_at, lease_until = excluded.lease_until,
      owner = excluded.owner, fence = excluded.fence, is_booked = false,
      paced_until = greatest(coalesce(c.paced_until, now()), now()) + (excluded.paced_until - now())
    where c.ready_at is null and c.lease_until is null and c.blocked_at is null
      and coalesce(c.paced_until, now()) <= now() + ($chatBurst::int - 1) * (excluded.paced_until - now())
    returning tenant_id, bot_id, platform_chat_id, fence
  ), claimed as (
    select a.*, chat.fence from asked a join chat using (tenant_id, bot_id, platform_chat_id)
  ), bot as (
    insert into webhooks.bot_paces as p (tenant_id, bot_id, paced_until)
    select tenant_id, bot_id, now() + count(*) * ${botInterval} from claimed group by 1, 2 order by 1, 2
    on conflict (tenant_id, bot_id) do update set
      paced_until = greatest(p.paced_until, now()) + (excluded.paced_until - now())
    where coalesce(p.booked_until <= now(), true)
      and greatest(p.paced_until, now()) + (excluded.paced_until - now()) <= now() + $botBurst::int * ${botInterval}
    returning tenant_id, bot_id
  ), begun as (
    select c.*, exists (select from bot where bot.tenant_id = c.tenant_id and bot.bot_id = c.bot_id) as has_begun
    from claimed c
  ), advanced as (
    update webhooks.reply_turns turn set next_reply_seq = b.reply_seq + 1 from begun b
    where turn.tenant_id = b.tenant_id and turn.conversation_id = b.conversation_id
  ), reply as (
    insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place, text,
      asked_at, answer_until, platform, traceparent, is_by_staff, state)
    select tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place, text, asked_at, answer_until,
      platform, traceparent, is_by_staff, 'queued' from begun
  ), part as (
    insert into webhooks.parts (tenant_id, bot_id, platform_chat_id, part_id, reply_id, thread_id, payload, html,
      plain, state, sends, open_sends)
    select b.tenant_id, b.bot_id, b.platform_chat_id, p.part_id, b.reply_id, p.thread_id, p.payload,
      ${columnsOfPayload('p.payload')},
      case when b.has_begun and p.is_first then 'sending' else 'queued' end,
      (b.has_begun and p.is_first)::int, (b.has_begun and p.is_first)::int
    from ${inputParts.numbered} join begun b on b.reply_id = p.reply_id
    order by p.ordinality
  )
  select ${begunReply} from begun`;

/**
 * Queues replies, claims their chats for this process and begins their first parts. This applies to replies that are
 * next in their conversation with nothing pending behind them, if the chat is open, has nothing queued and is within
 * its pace and its bot's pace, and if the person wasn't erased since they asked. Other replies are unchanged.
 *
 * The caller has locked the conversations, and each chat has one reply.
 */
export async function beginReplies(
  tx: TenantTx,
  toBegin: readonly ReplyToBegin[],
  { processId, bot, chatBurst }: BeginOptions,
): Promise<BegunReply[]> {
  return await tx.query({
    name: 'webhooks.replies.begin',
    text: beginText,
    values: {
      ...input.values(toBegin.map(({ reply, ...to }) => ({ ...reply, ...to }))),
      ...inputParts.values(
        toBegin.flatMap(({ parts }) =>
          parts.map((part, index) => ({
            threadId: null,
            ...part,
            partOf: part.replyId,
            isFirst: index === 0,
          })),
        ),
      ),
      botIntervalMs: bot.intervalMs,
      botBurst: bot.burst,
      processId,
      chatBurst,
    },
  });
}
