import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import type { FileRow } from './files.ts';

export interface SizesRow {
  messages: number;
  rawBytes: number;
  firstAt: Date | null;
  lastAt: Date | null;
}

export interface TotalsRow extends SizesRow {
  files: number;
  sizeBytes: number;
  trimmedMessages: number;
}

export async function sumArchive(tx: TenantTx, tenantId: string): Promise<TotalsRow> {
  const [row] = await tx.query<TotalsRow & Record<string, unknown>>({
    name: 'agents.archive.totals',
    text: `select count(*)::int as files, coalesce(sum(size_bytes), 0)::float8 as "sizeBytes",
             coalesce(sum(messages), 0)::float8 as messages, coalesce(sum(raw_bytes), 0)::float8 as "rawBytes",
             coalesce(sum(messages) filter (where trimmed_at is not null), 0)::float8 as "trimmedMessages",
             min(first_at) as "firstAt", max(last_at) as "lastAt"
           from agents.archive_files where tenant_id = $1 and state = 'kept'`,
    values: [tenantId],
  });
  return row!;
}

export interface BotInArchiveRow extends SizesRow {
  botId: string;
  name: string | null;
  chats: number;
}

const sizes = `coalesce(sum(a.messages), 0)::float8 as messages, coalesce(sum(a.raw_bytes), 0)::float8 as "rawBytes", min(a.first_at) as "firstAt",
  max(a.last_at) as "lastAt"`;

/** Those with the most messages first. */
export async function sumArchiveByBot(
  tx: TenantTx,
  tenantId: string,
  limit: number,
): Promise<BotInArchiveRow[]> {
  return await tx.query<BotInArchiveRow & Record<string, unknown>>({
    name: 'agents.archive.bots',
    text: `select a.bot_id as "botId", max(b.name) as name, count(distinct a.conversation_id)::int as chats, ${sizes}
           from agents.archive_chats a left join agents.bots b on b.tenant_id = a.tenant_id and b.bot_id = a.bot_id
           where a.tenant_id = $1 group by a.bot_id order by sum(a.messages) desc, a.bot_id limit $2`,
    values: [tenantId, limit],
  });
}

export interface ChatInArchiveRow extends SizesRow {
  chatId: string;
  botId: string;
  title: string | null;
  files: number;
}

const chatsBy = (
  join: string,
) => `select c.chat_id as "chatId", c.bot_id as "botId", c.place ->> 'title' as title, count(a.file_id)::int as files, ${sizes}
  from agents.conversations c ${join} agents.archive_chats a on a.tenant_id = c.tenant_id and a.conversation_id = c.conversation_id
  where c.tenant_id = $1`;

/** Chats of a bot that have something in the archive, newest first, one more than the page's limit. */
export async function listChatsInArchive(
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
  page: PageRequest,
): Promise<ChatInArchiveRow[]> {
  return await tx.query<ChatInArchiveRow & Record<string, unknown>>({
    name: 'agents.archive.chats',
    text: `${chatsBy('join')} and c.bot_id = $2 and ($3::uuid is null or c.chat_id < $3)
           group by c.tenant_id, c.conversation_id order by c.chat_id desc limit $4`,
    values: [tenantId, botId, page.before ?? null, page.limit + 1],
  });
}

export async function getChatInArchive(
  tx: TenantTx,
  tenantId: string,
  chatId: string,
): Promise<ChatInArchiveRow | undefined> {
  const [row] = await tx.query<ChatInArchiveRow & Record<string, unknown>>({
    name: 'agents.archive.chat',
    text: `${chatsBy('left join')} and c.chat_id = $2 group by c.tenant_id, c.conversation_id`,
    values: [tenantId, chatId],
  });
  return row;
}

export interface FileSearch {
  tenantId: string;
  conversationId: string | null;
  botId: string | null;
  /** Files whose messages are all at or after this one are left out. */
  beforeMessageId: string;
  from: Date | null;
  to: Date | null;
  limit: number;
}

/** Files in which messages before one can be, those with the newest messages first. */
export async function listFilesWith(tx: TenantTx, wanted: FileSearch): Promise<FileRow[]> {
  return await tx.query<FileRow & Record<string, unknown>>({
    name: 'agents.archive.search',
    text: `select file_id as "fileId", tenant_id as "tenantId", object_key as "objectKey", sha256, messages,
             first_message_id as "firstMessageId", last_message_id as "lastMessageId"
           from agents.archive_files f
           where tenant_id = $1 and state = 'kept' and first_message_id < $2
             and last_at >= coalesce($3::timestamptz, '-infinity') and first_at < coalesce($4::timestamptz, 'infinity')
             and (($5::uuid is null and $6::uuid is null) or exists (select from agents.archive_chats a
               where a.tenant_id = $1 and a.file_id = f.file_id and a.conversation_id = coalesce($5, a.conversation_id)
                 and a.bot_id = coalesce($6, a.bot_id)))
           order by last_message_id desc limit $7`,
    values: [
      wanted.tenantId,
      wanted.beforeMessageId,
      wanted.from,
      wanted.to,
      wanted.conversationId,
      wanted.botId,
      wanted.limit,
    ],
  });
}
