import { alias } from '@botyard/shared/db/drizzle';
import { count, jsonObject, orNull, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conversations, messages } from '../../store/schema.ts';
import type { JobRow } from './jobs.ts';

const m = alias(messages, 'm');
const c = alias(conversations, 'c');
const archivable = columns({
  messageId: m.messageId,
  conversationId: m.conversationId,
  ...pick(c, 'chatId', 'botId', 'platform'),
  kind: text("c.place ->> 'kind'"),
  /** The author, from which `people.person_id` is derived; only for messages from people. */
  platformUserId: orNull(text("m.sender ->> 'platformUserId'")),
  createdAt: m.createdAt,
  version: text('m.xmin::text'),
  row: jsonObject(`to_jsonb(m) - 'tenant_id' - 'archived_in' || jsonb_build_object('quote',
    (select to_jsonb(q) - 'tenant_id' from agents.quotes q where q.tenant_id = m.tenant_id
       and q.conversation_id = m.conversation_id and q.seq = m.seq and m.direction = 'in'))`),
});
/** A message as the archive stores it: its whole row with its quote, and the version that was read. */
export type ArchivableRow = RowOf<typeof archivable>;

/** Final states only: pending messages, replies that are being sent, and messages that may be replayed are excluded. */
const isSettled = `status in ('answered', 'ignored', 'sent', 'failed', 'uncertain')`;

const scope = `m.tenant_id = $tenantId and m.message_id > $cursor and m.created_at < $before and m.archived_in is null and m.${isSettled}
  and ($conversationId::uuid is null or m.conversation_id = $conversationId)
  and ($botId::uuid is null or exists (select from agents.conversations s where s.tenant_id = $tenantId
    and s.conversation_id = m.conversation_id and s.bot_id = $botId))`;

const nothing = '00000000-0000-0000-0000-000000000000';
const scopeOf = ({ tenantId, cursor, before, conversationId, botId }: JobRow) => ({
  tenantId,
  cursor: cursor ?? nothing,
  before,
  conversationId,
  botId,
});

/** The next settled messages after the job's cursor, in the order of their identifiers. Locks nothing. */
export const listArchivable = preparedStatement({
  name: 'agents.archive.read',
  text: typedSql`select ${archivable}
         from agents.messages m join agents.conversations c on c.tenant_id = m.tenant_id and c.conversation_id = m.conversation_id
         where ${scope} order by m.message_id limit $limit`,
  values: (job: JobRow, limit: number) => ({ ...scopeOf(job), limit }),
});

export const countArchivable = preparedStatement({
  name: 'agents.archive.count',
  text: typedSql`select ${columns({ count: count() })} from agents.messages m where ${scope}`,
  values: scopeOf,
  result: ([row]) => row?.count ?? 0,
});

/** Marks messages as archived, unless they were changed since they were read. Returns how many. */
export const markArchived = preparedStatement({
  name: 'agents.archive.mark',
  text: `update agents.messages m set archived_in = $2
         from unnest($3::uuid[], $4::text[]) as u (message_id, version)
         where m.tenant_id = $1 and m.message_id = u.message_id and m.xmin::text = u.version and m.archived_in is null
         returning 1`,
  values: ({ tenantId, fileId }: { tenantId: string; fileId: string }, rows: readonly ArchivableRow[]) => [
    tenantId,
    fileId,
    rows.map(({ messageId }) => messageId),
    rows.map(({ version }) => version),
  ],
  result: (rows) => rows.length,
});

/**
 * Removes messages that are unchanged since they were archived. Returns the number of removed messages, and their
 * media.
 */
export const trimMessages = preparedStatement({
  name: 'agents.archive.trim',
  text: typedSql`delete from agents.messages m using unnest($3::uuid[], $4::text[]) as u (message_id, text)
         where m.tenant_id = $1 and m.archived_in = $2 and m.message_id = u.message_id and m.text = u.text
         returning ${columns({ mediaId: orNull(text("m.attachment ->> 'mediaId'")) })}`,
  values: (
    { tenantId, fileId }: { tenantId: string; fileId: string },
    held: readonly { messageId: string; text: string }[],
  ) => [tenantId, fileId, held.map(({ messageId }) => messageId), held.map(({ text }) => text)],
  result: (rows) => ({
    messages: rows.length,
    mediaIds: rows.flatMap(({ mediaId }) => (mediaId ? [mediaId] : [])),
  }),
});
