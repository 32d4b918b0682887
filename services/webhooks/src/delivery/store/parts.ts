import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, like, notNull, number, orNull, rowByKey } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, type Payload, parts, replies } from '../../store/schema.ts';
import { type ClaimedChat, held } from './chats.ts';
import type { NewReply } from './replies.ts';

/** How long a reply is worth sending after the question, unless its bot has a setting. */
const worthMinutes = 60;

const p = alias(parts, 'p');
const r = alias(replies, 'r');
const waitingPart = columns({
  fence: chats.fence,
  ...pick(p, 'partId', 'replyId', 'threadId'),
  payload: notNull(p.payload),
  attempts: p.attempts,
  /** The number of earlier sends. */
  sends: p.sends,
  /** Sends that may have reached the platform. */
  openSends: p.openSends,
  /** An earlier send was begun, and its outcome was never saved. */
  wasBegun: boolean("p.state = 'sending'"),
  /** The time in ms for which it is still worth sending: at least a minute from the reply's arrival. */
  worthMs: number(`coalesce(extract(epoch from greatest(
    coalesce(r.answer_until, coalesce(r.asked_at, r.created_at) + interval '${worthMinutes} minutes'),
    r.created_at + interval '1 minute') - now()) * 1000, 0) + p.waited_ms`),
  /** The time in ms for which the platform has asked it to wait. That doesn't count against what it is worth. */
  waitedMs: p.waitedMs,
  /** The place of its reply, with what only the platform's adapter needs. */
  place: orNull(like(r.place, 'r.place')),
  /** The trace in which its reply was created. */
  traceparent: r.traceparent,
});
export type WaitingPart = Omit<RowOf<typeof waitingPart>, 'fence'>;

const { tenantId, botId, chatKey, partId, replyId, threadId, payload } = getTableColumns(parts);
const chatOfParts = { tenantId, botId, chatKey };
const replyOfPart = rowByKey('webhooks.replies', 'r', { tenant_id: 'p.tenant_id', reply_id: 'p.reply_id' });
const firstText = typedSql`
  select ${waitingPart}
  from ${held}
  cross join lateral (
    select *
    from webhooks.parts p
    where p.tenant_id = held.tenant_id
      and p.bot_id = held.bot_id
      and p.platform_chat_id = held.platform_chat_id
      and p.state in ('queued', 'sending')
    order by p.position
    limit 1
  ) p
  left join ${replyOfPart} on true`;

/** The first part of each chat that is still to be sent, by the chat's fence. */
export const listFirstParts = preparedStatement({
  name: 'webhooks.parts.first',
  text: firstText,
  values: (claimed: readonly ClaimedChat[]) => held.values(claimed),
  result: (rows) => new Map(rows.map(({ fence, ...part }) => [fence, part])),
});

/** A send that begins, with the number of sends that may have arrived, including this one. */
export interface BegunSend {
  tenantId: string;
  partId: string;
  send: number;
  openSends: number;
  /** An earlier send was made and its outcome is unknown. */
  isUncertain: boolean;
}

const begun = unnest('begun', {
  tenantId,
  partId,
  send: 'integer',
  openSends: parts.openSends,
  isUncertain: 'boolean',
});
const beginText = `
  update webhooks.parts p
  set state = 'sending',
    is_uncertain = p.is_uncertain or begun.is_uncertain,
    sends = begun.send,
    open_sends = begun.open_sends
  from ${begun}
  where p.tenant_id = begun.tenant_id and p.part_id = begun.part_id`;

/** Counts sends before they are made: after a crash it is uncertain whether the parts arrived (P9). */
export const beginParts = preparedStatement({
  name: 'webhooks.parts.begin',
  text: beginText,
  values: (sends: readonly BegunSend[]) => begun.values(sends),
});

/** The outcome of a send, as its part keeps it. */
export interface PartEnd {
  tenantId: string;
  partId: string;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  state: 'queued' | 'sent' | 'failed';
  platformMessageId: string | null;
  lastError: string | null;
  /** The send may or may not have arrived. */
  isUncertain: boolean;
  /** It counts for the wait before the next attempt; waiting for the platform's pace does not. */
  isAttempt: boolean;
  /** Its reply is announced later. */
  isUnannounced: boolean;
}

const ended = unnest('ended', {
  tenantId,
  partId,
  send: 'integer',
  ...pick(parts, 'state', 'platformMessageId', 'lastError', 'isUncertain', 'isUnannounced'),
  isAttempt: 'boolean',
});
// Without `is true` the planner might use the partial index of all pending parts, which holds every part sent since
// the last vacuum.
const endText = `
  update webhooks.parts p
  set state = ended.state,
    platform_message_id = ended.platform_message_id,
    last_error = ended.last_error,
    is_uncertain = p.is_uncertain or ended.is_uncertain,
    attempts = p.attempts + ended.is_attempt::int,
    open_sends = p.open_sends - (ended.state <> 'sent' and not ended.is_uncertain)::int,
    is_unannounced = p.is_unannounced or ended.is_unannounced
  from ${ended}
  where p.tenant_id = ended.tenant_id
    and p.part_id = ended.part_id
    and p.sends = ended.send
    and (p.state = 'sending') is true`;

/**
 * Writes the outcomes of sends. It needs no lease: until a later send begins, the outcome is the current state of the
 * part.
 */
export const endParts = preparedStatement({
  name: 'webhooks.parts.end',
  text: endText,
  values: (ends: readonly PartEnd[]) => ended.values(ends),
});

const existingText = typedSql`
  select ${columns({ partId })}
  from webhooks.parts
  where tenant_id = any ($1::uuid[]) and part_id = any ($2::uuid[])`;

/** Those of these parts that exist. */
export const listExistingParts = preparedStatement({
  name: 'webhooks.parts.existing',
  text: existingText,
  values: (of: readonly Pick<PartEnd, 'tenantId' | 'partId'>[]) => [
    of.map((part) => part.tenantId),
    of.map((part) => part.partId),
  ],
  result: (rows) => new Set(rows.map((row) => row.partId)),
});

export type NewPart = Pick<typeof parts.$inferInsert, 'tenantId' | 'partId' | 'botId' | 'chatKey'> &
  Pick<typeof replies.$inferSelect, 'replyId'> & {
    threadId: string | null;
    payload: Payload;
    /** Its first send begins at once. */
    isBegun: boolean;
  };

const addedParts = { ...chatOfParts, partId, replyId, threadId, payload };
const added = unnest('added', { ...addedParts, isBegun: 'boolean' });
const partColumns = unnest('added', addedParts).columns;
const insertText = `
  insert into webhooks.parts (${partColumns}, html, plain, state, sends, open_sends)
  select ${partColumns}, coalesce(payload ->> 'html', ''), coalesce(payload ->> 'text', ''),
    case when is_begun then 'sending' else 'queued' end, is_begun::int, is_begun::int
  from ${added.numbered}
  order by ordinality`;

/** Appends parts to their chats' queues, in this order. */
export const insertParts = preparedStatement({
  name: 'webhooks.parts.insert',
  text: insertText,
  values: (newParts: readonly NewPart[]) => added.values(newParts),
});

/** A part that is inserted now, as the first one that waits in its chat. */
export function toWaitingPart(part: NewPart, reply: NewReply, now: Date): WaitingPart {
  const { partId, replyId, threadId, payload } = part;
  const { place, traceparent, askedAt, answerUntil } = reply;
  const until = answerUntil ?? new Date((askedAt ?? now).getTime() + worthMinutes * 60_000);
  const worthMs = Math.max(60_000, until.getTime() - now.getTime());
  const unsent = { attempts: 0, sends: 0, openSends: 0, wasBegun: false, waitedMs: 0 };
  return { partId, replyId, threadId, payload, place, traceparent, worthMs, ...unsent };
}
