import type { PageRequest } from '@botyard/contracts/http/page';
import { alias } from '@botyard/shared/db/drizzle';
import { count, moment, number, orNull, sum, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { archiveChats, archiveFiles } from '../../store/archive-schema.ts';
import { conversations } from '../../store/schema.ts';

/** Sums over files or chats with the alias `a`. */
const sizes = {
  messages: sum('a.messages'),
  rawBytes: sum('a.raw_bytes'),
  firstAt: orNull(moment('min(a.first_at)')),
  lastAt: orNull(moment('max(a.last_at)')),
};

const totals = columns({
  files: count(),
  sizeBytes: sum('size_bytes'),
  ...sizes,
  trimmedMessages: number('coalesce(sum(messages) filter (where trimmed_at is not null), 0)'),
});

export const sumArchive = preparedStatement({
  name: 'agents.archive.totals',
  text: typedSql`select ${totals} from agents.archive_files a where tenant_id = $1 and state = 'kept'`,
  values: (tenantId: string) => [tenantId],
  result: ([row]) => row!,
});

const botInArchive = columns({
  botId: alias(archiveChats, 'a').botId,
  name: orNull(text('max(b.name)')),
  chats: count('distinct a.conversation_id'),
  ...sizes,
});

/** The bots with the most messages first. */
export const sumArchiveByBot = preparedStatement({
  name: 'agents.archive.bots',
  text: typedSql`select ${botInArchive}
         from agents.archive_chats a left join agents.bots b on b.tenant_id = a.tenant_id and b.bot_id = a.bot_id
         where a.tenant_id = $1 group by a.bot_id order by sum(a.messages) desc, a.bot_id limit $2`,
  values: (tenantId: string, limit: number) => [tenantId, limit],
});

const c = alias(conversations, 'c');
const chatInArchive = columns({
  chatId: c.chatId,
  botId: c.botId,
  title: orNull(text("c.place ->> 'title'")),
  files: count('a.file_id'),
  ...sizes,
});

const chatsBy = (join: string) => `
  from agents.conversations c ${join} agents.archive_chats a on a.tenant_id = c.tenant_id and a.conversation_id = c.conversation_id
  where c.tenant_id = $1`;

/** Archived chats of a bot, newest first, one more than the page's limit. */
export const listChatsInArchive = preparedStatement({
  name: 'agents.archive.chats',
  text: typedSql`select ${chatInArchive} ${chatsBy('join')} and c.bot_id = $2 and ($3::uuid is null or c.chat_id < $3)
         group by c.tenant_id, c.conversation_id order by c.chat_id desc limit $4`,
  values: ({ tenantId, botId }: { tenantId: string; botId: string }, page: PageRequest) => [
    tenantId,
    botId,
    page.before ?? null,
    page.limit + 1,
  ],
});

export const getChatInArchive = preparedStatement({
  name: 'agents.archive.chat',
  text: typedSql`select ${chatInArchive} ${chatsBy('left join')} and c.chat_id = $2 group by c.tenant_id, c.conversation_id`,
  values: (tenantId: string, chatId: string) => [tenantId, chatId],
  result: ([row]) => row,
});

interface FileSearch {
  tenantId: string;
  conversationId: string | null;
  botId: string | null;
  /** Files whose messages are all at or after this one are left out. */
  beforeMessageId: string;
  from: Date | null;
  to: Date | null;
}

/**
 * The next file that can hold messages before a given one; files with the newest messages come first. `after` is the
 * last message of the previous file.
 */
export const nextFileWith = preparedStatement({
  name: 'agents.archive.search',
  text: typedSql`select ${columns(archiveFiles)}
         from agents.archive_files f
         where tenant_id = $tenantId and state = 'kept' and first_message_id < $beforeMessageId
           and ($after::uuid is null or last_message_id < $after)
           and last_at >= coalesce($from::timestamptz, '-infinity') and first_at < coalesce($to::timestamptz, 'infinity')
           and (($conversationId::uuid is null and $botId::uuid is null) or exists (select from agents.archive_chats a
             where a.tenant_id = $tenantId and a.file_id = f.file_id and a.conversation_id = coalesce($conversationId, a.conversation_id)
               and a.bot_id = coalesce($botId, a.bot_id)))
         order by last_message_id desc limit 1`,
  values: (wanted: FileSearch, after: string | null) => {
    const { tenantId, beforeMessageId, from, to, conversationId, botId } = wanted;
    return { tenantId, beforeMessageId, after, from, to, conversationId, botId };
  },
  result: ([row]) => row,
});
