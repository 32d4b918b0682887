import type { ArchivedMessage } from '@botyard/contracts/http/archival';
import type { Page } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { HttpError } from '@botyard/shared/http/errors';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import type { Deps } from '../deps.ts';
import { nextFileWith } from '../store/tree.ts';
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

/** Files per page, unless more of them cover the same time. */
const maxFiles = 20;
const greatest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * A page of archived messages, newest first. Files overlap where messages came late, or where chats were archived one
 * by one, so each is read together with those that begin before it ends. After 20 files the page ends where the next
 * one continues with other files. @throws HttpError 404 for a chat that isn't the tenant's, 503.
 */
export async function searchArchive(
  { database, objects, log }: Pick<Deps, 'database' | 'objects' | 'log'>,
  tenantId: string,
  search: ArchiveSearch,
): Promise<Page<ArchivedMessage>> {
  const before = search.before ?? greatest;
  const inTenant = <Result>(work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(database, [tenantId], work);
  const chat = search.chatId
    ? found(await inTenant((tx) => getConversationByChat(tx, tenantId, search.chatId!)), 'chat')
    : undefined;
  const wanted = {
    tenantId,
    beforeMessageId: before,
    from: search.from ?? null,
    to: search.to ?? null,
    conversationId: chat?.conversationId ?? null,
    botId: search.botId ?? null,
  };
  let newest: ArchivedLine[] = [];
  let last: string | null = null;
  for (let read = 0; ; read += 1) {
    const file = await inTenant((tx) => nextFileWith(tx, wanted, last));
    if (!file) return pageOfFound(newest, search.limit, null);
    last = file.lastMessageId;
    const isEnough = (newest[search.limit]?.messageId ?? '') > last;
    if (isEnough || (read >= maxFiles && after(last) < before))
      return pageOfFound(newest, search.limit, last);
    const lines = await readFile(objects, file).catch((error: unknown) => {
      if (error instanceof HttpError) throw error;
      log.error({ err: error, fileId: file.fileId }, 'an archive file is damaged');
      return [];
    });
    newest = newestOf(
      [...newest, ...lines.filter((line) => line.messageId < before && isWanted(line, search))],
      search.limit + 1,
    );
  }
}

const newestOf = (lines: readonly ArchivedLine[], most: number): ArchivedLine[] =>
  lines.toSorted((left, right) => (left.messageId < right.messageId ? 1 : -1)).slice(0, most);

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

/**
 * `newest` are the newest messages of the files that were read, one more than the limit, and `unread` is the newest one
 * of the others. Messages up to that are left to the next page.
 */
function pageOfFound(
  newest: readonly ArchivedLine[],
  limit: number,
  unread: string | null,
): Page<ArchivedMessage> {
  const shown = newest.filter(({ messageId }) => unread === null || messageId > unread);
  const items = shown.slice(0, limit).map(toMessage);
  if (shown.length > limit) return { items, next: items.at(-1)!.messageId };
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
