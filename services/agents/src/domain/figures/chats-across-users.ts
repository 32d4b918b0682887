import type { ChatQuote, ChatWithPeople } from '@botyard/shared/contracts/users';
import { type AnyTx, type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { PageRequest } from '@botyard/shared/http/page';
import { type ChatPersonRow, listConversationsWithin, listPeopleOf } from '../../store/figures/chats.ts';
import { findTenantOfPerson, listQuotesWithin, type QuoteFilter } from '../../store/figures/quote-list.ts';
import type { ConversationRow } from '../../store/messages.ts';
import { shortPage } from './short-page.ts';

/** A page over the chats of these tenants; `null` are all of them. */
export interface PageWithin extends PageRequest {
  tenantIds: string[] | null;
}

const mostPeopleOfAChat = 10;

function within<Result>(
  database: Database,
  tenantIds: string[] | null,
  work: (tx: AnyTx) => Promise<Result>,
): Promise<Result> {
  return tenantIds
    ? withTenant(database, tenantIds, work)
    : withPlatform(database, 'chats across tenants, for an operator', work);
}

/** Chats with those who wrote in them last, newest first. `next` is set when there are more than are told. */
export async function listChatsWithPeople(
  database: Database,
  { tenantIds, ...page }: PageWithin,
): Promise<{ chats: ChatWithPeople[]; next?: string | undefined }> {
  return await within(database, tenantIds, async (tx) => {
    const rows = await listConversationsWithin(tx, tenantIds, page);
    const people = Map.groupBy(await listPeopleOf(tx, rows, mostPeopleOfAChat), (row) => row.conversationId);
    const found = rows.map((row) => toChat(row, people.get(row.conversationId) ?? []));
    const { items: chats, next } = shortPage(found, page.limit, ({ chatId }) => chatId);
    return { chats, next };
  });
}

const toChat = (row: ConversationRow, people: readonly ChatPersonRow[]): ChatWithPeople => ({
  chatId: row.chatId,
  tenantId: row.tenantId,
  botId: row.botId,
  platform: row.platform,
  title: row.place.title,
  kind: row.place.kind,
  people: people.map(({ personId, platformUserId, name, username }) => ({
    personId,
    platformUserId,
    name,
    username,
  })),
  peopleCount: people[0]?.peopleCount ?? 0,
  createdAt: row.createdAt.toISOString(),
  lastMessageAt: row.lastMessageAt.toISOString(),
});

/** What was quoted, newest first; `isPersonKnown` is false when a person is asked for whom these tenants don't know. */
export async function listQuotesOfChats(
  database: Database,
  { tenantIds, ...wanted }: PageWithin & QuoteFilter,
): Promise<{ quotes: ChatQuote[]; next?: string | undefined; isPersonKnown: boolean }> {
  return await within(database, tenantIds, async (tx) => {
    let reach = tenantIds;
    if (wanted.personId) {
      const tenantId = await findTenantOfPerson(tx, tenantIds, wanted.personId);
      if (!tenantId) return { quotes: [], isPersonKnown: false };
      reach = [tenantId];
    }
    const rows = await listQuotesWithin(tx, reach, wanted);
    const found = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
    const { items: quotes, next } = shortPage(found, wanted.limit, ({ quoteId }) => quoteId);
    return { quotes, next, isPersonKnown: true };
  });
}
