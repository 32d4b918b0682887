import type { ArchivedMessage } from '@botyard/contracts/http/archival';
import type { Page } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { HttpError, notFound } from '@botyard/shared/http/errors';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import type { Deps } from '../../deps.ts';
import { listFilesWith } from '../store/tree.ts';
import type { ArchivedLine } from './file-format.ts';
import { readFile } from './objects.ts';

interface ArchiveSearch {
  limit: number;
  before?: string | undefined;
  chatId?: string | undefined;
  botId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  text?: string | undefined;
}

const maxFiles = 20;
const greatest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * A page of archived messages, newest first. Files overlap only where messages came late, so each is read together with
 * those that begin before it ends. At most 20 files are read; the next page continues where they end.
 * @throws HttpError 404 for a chat that isn't the tenant's, 503.
 */
export async function searchArchive(
  { database, objects, log }: Pick<Deps, 'database' | 'objects' | 'log'>,
  tenantId: string,
  search: ArchiveSearch,
): Promise<Page<ArchivedMessage>> {
  const before = search.before ?? greatest;
  const files = await withTenant(database, [tenantId], async (tx) => {
    const chat = search.chatId ? await getConversationByChat(tx, tenantId, search.chatId) : undefined;
    if (search.chatId && !chat) throw notFound('chat');
    return await listFilesWith(tx, {
      tenantId,
      conversationId: chat?.conversationId ?? null,
      botId: search.botId ?? null,
      beforeMessageId: before,
      from: search.from ?? null,
      to: search.to ?? null,
      limit: maxFiles + 1,
    });
  });
  const found: ArchivedLine[] = [];
  for (const [place, file] of files.entries()) {
    const isEnough = found.filter(({ messageId }) => messageId > file.lastMessageId).length > search.limit;
    if (isEnough || place === maxFiles) return pageOfFound(found, search.limit, file.lastMessageId);
    const lines = await readFile(objects, file).catch((error: unknown) => {
      if (error instanceof HttpError) throw error;
      log.error({ err: error, fileId: file.fileId }, 'an archive file is damaged');
      return [];
    });
    found.push(...lines.filter((line) => line.messageId < before && isWanted(line, search)));
  }
  return pageOfFound(found, search.limit, null);
}

function isWanted({ chatId, botId, createdAt, row }: ArchivedLine, search: ArchiveSearch): boolean {
  const at = Date.parse(createdAt);
  return (
    (search.chatId === undefined || search.chatId === chatId) &&
    (search.botId === undefined || search.botId === botId) &&
    (search.from === undefined || at >= search.from.getTime()) &&
    (search.to === undefined || at < search.to.getTime()) &&
    (search.text === undefined || row.text.toLowerCase().includes(search.text.toLowerCase()))
  );
}

/** `unread` is the newest message of the files that were not read. Messages up to it are left to the next page. */
function pageOfFound(
  found: readonly ArchivedLine[],
  limit: number,
  unread: string | null,
): Page<ArchivedMessage> {
  const sorted = found
    .filter(({ messageId }) => unread === null || messageId > unread)
    .toSorted((left, right) => (left.messageId < right.messageId ? 1 : -1));
  const items = sorted.slice(0, limit).map(toMessage);
  if (sorted.length > limit) return { items, next: items.at(-1)!.messageId };
  return { items, next: unread === null ? undefined : after(unread) };
}

/** The next identifier, because a page holds the messages below its cursor. */
function after(id: string): string {
  const number = BigInt(`0x${id.replaceAll('-', '')}`) + 1n;
  const digits = number.toString(16).padStart(32, '0');
  return [8, 12, 16, 20, 32].map((end, place, ends) => digits.slice(ends[place - 1] ?? 0, end)).join('-');
}

const toMessage = ({ messageId, chatId, botId, createdAt, row }: ArchivedLine): ArchivedMessage => ({
  messageId,
  chatId,
  botId,
  direction: row.direction,
  text: row.text,
  sender: row.sender,
  agentId: row.agent_id,
  status: row.status,
  receivedAt: new Date(row.received_at).toISOString(),
  createdAt,
});
