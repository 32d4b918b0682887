import { withMoments } from '@botyard/contracts/http/common';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { ChatQuote, ChatWithPeople } from '@botyard/contracts/http/users';
import { type Account, personIdOfAccount } from '@botyard/shared/auth/person-id';
import { type AnyTx, type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import { shortPage } from '../../definitions/domain/short-page.ts';
import { listTenantsWithBots, type PersonInTenant } from '../../store/reach.ts';
import { type ChatPersonRow, listConversationsWithin, listPeopleOf } from '../store/chats.ts';
import { findTenantOfPerson, listQuotesWithin, type QuoteFilter } from '../store/quote-list.ts';

/** A page of the chats of these tenants; `null` means all tenants. */
interface PageWithin extends PageRequest {
  tenantIds: string[] | null;
  /** Includes only activity of one of these accounts. */
  accounts?: readonly Account[] | undefined;
}

const maxPeopleOfAChat = 10;

/** The people who have these accounts in the tenants within reach: a different person in each tenant. */
async function peopleOf(
  tx: AnyTx,
  reach: readonly string[] | null,
  accounts: readonly Account[],
): Promise<PersonInTenant[]> {
  const tenantIds = reach ?? (await listTenantsWithBots(tx));
  return tenantIds.flatMap((tenantId) =>
    accounts.map((account) => ({ tenantId, personId: personIdOfAccount(tenantId, account) })),
  );
}

function within<Result>(
  database: Database,
  tenantIds: string[] | null,
  work: (tx: AnyTx) => Promise<Result>,
): Promise<Result> {
  return tenantIds
    ? withTenant(database, tenantIds, work)
    : withPlatform(database, 'chats across tenants, for an operator', work);
}

/** Chats with their latest authors, newest first. `next` is set if there are more. */
export async function listChatsWithPeople(
  database: Database,
  { tenantIds, accounts, ...page }: PageWithin,
): Promise<{ chats: ChatWithPeople[]; next?: string | undefined }> {
  return await within(database, tenantIds, async (tx) => {
    const oneOf = accounts && (await peopleOf(tx, tenantIds, accounts));
    const rows = await listConversationsWithin(tx, tenantIds, { ...page, oneOf });
    const people = Map.groupBy(await listPeopleOf(tx, rows, maxPeopleOfAChat), (row) => row.conversationId);
    const chatRows = rows.map((row) => toChat(row, people.get(row.conversationId) ?? []));
    const { items: chats, next } = shortPage(chatRows, page.limit, ({ chatId }) => chatId);
    return { chats, next };
  });
}

const toChat = (row: ConversationRow, people: readonly ChatPersonRow[]): ChatWithPeople => ({
  ...withMoments(row),
  title: row.place.title,
  kind: row.place.kind,
  people: [...people],
  peopleCount: people[0]?.peopleCount ?? 0,
});

/** Quotes, newest first. `isPersonKnown` is false when these tenants don't know the requested person. */
export async function listQuotesOfChats(
  database: Database,
  { tenantIds, accounts, ...wanted }: PageWithin & Omit<QuoteFilter, 'oneOf'>,
): Promise<{ quotes: ChatQuote[]; next?: string | undefined; isPersonKnown: boolean }> {
  return await within(database, tenantIds, async (tx) => {
    let reach = tenantIds;
    if (wanted.personId) {
      const tenantId = await findTenantOfPerson(tx, tenantIds, wanted.personId);
      if (!tenantId) return { quotes: [], isPersonKnown: false };
      reach = [tenantId];
    }
    const oneOf = accounts && (await peopleOf(tx, reach, accounts));
    const rows = await listQuotesWithin(tx, reach, { ...wanted, oneOf });
    const quoteRows = rows.map(withMoments);
    const { items: quotes, next } = shortPage(quoteRows, wanted.limit, ({ quoteId }) => quoteId);
    return { quotes, next, isPersonKnown: true };
  });
}
