import type { Database, TenantTx } from '@botyard/shared/db/database';
import { withPlatform } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { like } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { type StoredFile, webchatMessages, webchatVisitors } from '../../../store/webchat-schema.ts';

const m = alias(webchatMessages, 'm');
const shown = columns(
  pick(
    m,
    'messageId',
    'position',
    'seq',
    'author',
    'text',
    'choices',
    'file',
    'clientId',
    'isRateable',
    'rating',
    'createdAt',
    'deletedAt',
  ),
);
/** A message as the window shows it. */
export type StoredMessage = RowOf<typeof shown>;

type NewMessage = Pick<
  typeof webchatMessages.$inferInsert,
  'tenantId' | 'visitorId' | 'messageId' | 'author' | 'text' | 'clientId' | 'file'
>;

/**
 * Adds a message at the end, unless one with its `clientId` is there. Returns `false` when the visitor no longer
 * exists.
 */
export const addMessage = preparedStatement({
  name: 'webhooks.webchat.message.add',
  text: `with visitor as (
           update webhooks.webchat_visitors set last_seq = last_seq + 1
           where tenant_id = $tenantId and visitor_id = $visitorId
           returning last_seq
         ), added as (
           insert into webhooks.webchat_messages
             (tenant_id, visitor_id, message_id, position, seq, author, text, client_id, file)
           select $tenantId, $visitorId, $messageId, last_seq, last_seq, $author, $text, $clientId, $file
           from visitor
           on conflict do nothing
         )
         select from visitor`,
  values: (message: NewMessage) => ({
    ...message,
    clientId: message.clientId ?? null,
    file: message.file ? JSON.stringify(message.file) : null,
  }),
  result: (rows) => rows.length > 0,
});

export interface NewPart {
  tenantId: string;
  visitorId: string;
  partId: string;
  text: string;
  choices: readonly string[] | null;
  file: StoredFile | null;
}

/** Adds a part of a reply at the end, in the name of its author. Returns `false` when the visitor no longer exists. */
export const addPart = preparedStatement({
  name: 'webhooks.webchat.part.add',
  text: `with visitor as (
           update webhooks.webchat_visitors
           set last_seq = last_seq + 1, missed_at = case
             when exists (select from webhooks.mail_threads t where t.tenant_id = $tenantId and t.chat_id = $visitorId::text)
             then coalesce(missed_at, now()) end
           where tenant_id = $tenantId and visitor_id = $visitorId
           returning last_seq
         ), author as (
           select coalesce(bool_or(r.is_by_staff), false) as is_staff,
             coalesce(bool_or(r.is_answer and not exists (
               select from webhooks.parts later
               where later.tenant_id = p.tenant_id and later.reply_id = p.reply_id and later.position > p.position
             )), false) as is_rateable
           from webhooks.parts p
           join webhooks.replies r on r.tenant_id = p.tenant_id and r.reply_id = p.reply_id
           where p.tenant_id = $tenantId and p.part_id = $partId
         ), added as (
           insert into webhooks.webchat_messages
             (tenant_id, visitor_id, message_id, position, seq, author, text, part_id, file, choices, is_rateable)
           select $tenantId, $visitorId, $partId, last_seq, last_seq, case when is_staff then 'staff' else 'bot' end,
             $text, $partId, $file, $choices, is_rateable
           from visitor, author
           on conflict do nothing
         )
         select from visitor`,
  values: (part: NewPart) => ({
    ...part,
    file: part.file && JSON.stringify(part.file),
    choices: part.choices && JSON.stringify(part.choices),
  }),
  result: (rows) => rows.length > 0,
});

const noticed = columns({ visitorId: webchatVisitors.visitorId });
const noticeText = typedSql`with visitor as (
    update webhooks.webchat_visitors v set last_seq = last_seq + 1
    where tenant_id = $1 and conversation_id = $2 and $4 is distinct from coalesce((
      select text from webhooks.webchat_messages m
      where m.tenant_id = v.tenant_id and m.visitor_id = v.visitor_id and m.author = 'notice'
      order by m.position desc limit 1), 'bot')
    returning visitor_id, last_seq
  ), added as (
    insert into webhooks.webchat_messages (tenant_id, visitor_id, message_id, position, seq, author, text)
    select $1, visitor_id, $3, last_seq, last_seq, 'notice', $4 from visitor
  )
  select ${noticed} from visitor`;

/**
 * Adds a notice that a person has joined or left, unless the newest one says so, or a later change was noted before.
 * `messageId` grows from one change to the next. Returns the visitor who gets the notice.
 */
export async function addNotice(
  tx: TenantTx,
  notice: { tenantId: string; conversationId: string; messageId: string; text: 'person' | 'bot' },
): Promise<string | undefined> {
  // Alone, so that the next statement sees the notice of a transaction that was waited for.
  const newest = await tx.query({
    name: 'webhooks.webchat.notice.newest',
    text: typedSql`update webhooks.webchat_visitors set handling_change_id = $3
      where tenant_id = $1 and conversation_id = $2 and (handling_change_id is null or handling_change_id < $3)
      returning ${noticed}`,
    values: [notice.tenantId, notice.conversationId, notice.messageId],
  });
  if (newest.length === 0) return undefined;
  const row = await tx.first({
    name: 'webhooks.webchat.notice.add',
    text: noticeText,
    values: [notice.tenantId, notice.conversationId, notice.messageId, notice.text],
  });
  return row?.visitorId;
}

const afterText = typedSql`select ${shown} from webhooks.webchat_messages m
  where m.tenant_id = $1 and m.visitor_id = $2 and m.seq > $3
  order by m.seq
  limit $4`;

/** The messages that have changed after a number, oldest change first. */
export const listAfter = preparedStatement({
  name: 'webhooks.webchat.messages.after',
  text: afterText,
  values: ({
    tenantId,
    visitorId,
    after,
    limit,
  }: {
    tenantId: string;
    visitorId: string;
    after: number;
    limit: number;
  }) => [tenantId, visitorId, after, limit],
});

const byClientText = typedSql`select ${shown} from webhooks.webchat_messages m
  where m.tenant_id = $1 and m.visitor_id = $2 and m.client_id = $3`;

export const findByClientId = preparedStatement({
  name: 'webhooks.webchat.message.by_client',
  text: byClientText,
  values: ({ tenantId, visitorId, clientId }: { tenantId: string; visitorId: string; clientId: string }) => [
    tenantId,
    visitorId,
    clientId,
  ],
  result: ([row]) => row,
});

interface MessageKey {
  tenantId: string;
  visitorId: string;
  messageId: string;
}

const fileText = typedSql`select ${columns({ file: m.file })} from webhooks.webchat_messages m
  where m.tenant_id = $1 and m.visitor_id = $2 and m.message_id = $3 and m.author = 'staff'`;

/** The file of a message of staff to this visitor. */
export const findFileOfStaff = preparedStatement({
  name: 'webhooks.webchat.file',
  text: fileText,
  values: ({ tenantId, visitorId, messageId }: MessageKey) => [tenantId, visitorId, messageId],
  result: ([row]) => row?.file ?? undefined,
});

/** Empties a visitor's message. Windows learn it by a new number. */
export const emptyMessage = preparedStatement({
  name: 'webhooks.webchat.message.empty',
  text: `with visitor as (
           update webhooks.webchat_visitors set last_seq = last_seq + 1
           where tenant_id = $1 and visitor_id = $2
           returning last_seq
         )
         update webhooks.webchat_messages m
         set text = '', file = null, deleted_at = now(), seq = visitor.last_seq
         from visitor
         where m.tenant_id = $1 and m.visitor_id = $2 and m.message_id = $3 and m.author = 'visitor' and m.deleted_at is null
         returning 1`,
  values: ({ tenantId, visitorId, messageId }: MessageKey) => [tenantId, visitorId, messageId],
  result: (rows) => rows.length > 0,
});

/** Whether a message ends an answer of an agent to this visitor. */
export const isRateable = preparedStatement({
  name: 'webhooks.webchat.answer.is_rateable',
  text: `select from webhooks.webchat_messages
         where tenant_id = $1 and visitor_id = $2 and message_id = $3 and is_rateable`,
  values: ({ tenantId, visitorId, messageId }: MessageKey) => [tenantId, visitorId, messageId],
  result: (rows) => rows.length > 0,
});

/** Rates an answer. Windows learn it by a new number. */
export const rateMessage = preparedStatement({
  name: 'webhooks.webchat.answer.rate',
  text: `with visitor as (
           update webhooks.webchat_visitors set last_seq = last_seq + 1
           where tenant_id = $1 and visitor_id = $2
           returning last_seq
         )
         update webhooks.webchat_messages m
         set rating = $4, seq = visitor.last_seq
         from visitor
         where m.tenant_id = $1 and m.visitor_id = $2 and m.message_id = $3 and m.is_rateable
         returning 1`,
  values: ({ tenantId, visitorId, messageId, rating }: MessageKey & { rating: 'up' | 'down' | null }) => [
    tenantId,
    visitorId,
    messageId,
    rating,
  ],
});

const partsText = typedSql`select ${columns({ partId: like(m.messageId, 'm.part_id') })}
  from webhooks.webchat_messages m
  where m.tenant_id = $1 and m.visitor_id = $2 and m.seq > $3 and m.seq <= $4 and m.part_id is not null
  order by m.seq desc
  limit $5`;

/** The newest parts of answers between two numbers. */
export const listPartsUpTo = preparedStatement({
  name: 'webhooks.webchat.parts.up_to',
  text: partsText,
  values: (wanted: { tenantId: string; visitorId: string; after: number; upTo: number; limit: number }) => {
    const { tenantId, visitorId, after, upTo, limit } = wanted;
    return [tenantId, visitorId, after, upTo, limit];
  },
  result: (rows) => rows.map(({ partId }) => partId),
});

const v = alias(webchatVisitors, 'v');
const newestText = typedSql`select ${columns(pick(v, 'visitorId', 'lastSeq'))}
  from webhooks.webchat_visitors v where v.visitor_id = any ($1::uuid[])`;

/** The newest number of each of these visitors. Those that no longer exist are left out. */
export async function newestOf(
  database: Database,
  visitorIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await withPlatform(database, 'open streams of web chats', (tx) =>
    tx.query({ name: 'webhooks.webchat.newest', text: newestText, values: [visitorIds] }),
  );
  return new Map(rows.map(({ visitorId, lastSeq }) => [visitorId, lastSeq]));
}
