import type { ChatQuote, ChatWithPeople } from '@botyard/contracts/http/users';
import { type Database, withPlatform } from '@botyard/shared/db/database';
import { type Account, listOwnersInTenants } from '../../messenger-login/store/links.ts';

type AccountInTenant = Account & { tenantId: string };

const keyOf = ({ tenantId, platform, platformUserId }: AccountInTenant): string =>
  `${tenantId}/${platform}/${platformUserId}`;

/** Adds the users behind the people of chats, if they belong to the chat's tenant. */
export async function withOwnersOfChats(
  database: Database,
  chats: readonly ChatWithPeople[],
): Promise<ChatWithPeople[]> {
  const accountsOf = ({ tenantId, platform, people }: ChatWithPeople) =>
    people.map(({ platformUserId }) => ({ tenantId, platform, platformUserId }));
  const owners = await findOwners(database, chats.flatMap(accountsOf));
  return chats.map((chat) => ({
    ...chat,
    people: chat.people.map((person) => ({ ...person, userId: owners.get(keyOf({ ...chat, ...person })) })),
  }));
}

/** The same for the people who quoted. */
export async function withOwnersOfQuotes(
  database: Database,
  quotes: readonly ChatQuote[],
): Promise<ChatQuote[]> {
  const owners = await findOwners(
    database,
    quotes.map(({ tenantId, platform, quotedBy: { platformUserId } }) => ({
      tenantId,
      platform,
      platformUserId,
    })),
  );
  return quotes.map((quote) => {
    const { quotedBy } = quote;
    return { ...quote, quotedBy: { ...quotedBy, userId: owners.get(keyOf({ ...quote, ...quotedBy })) } };
  });
}

async function findOwners(
  database: Database,
  accounts: readonly AccountInTenant[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await withPlatform(database, 'owners of accounts', (tx) => listOwnersInTenants(tx, accounts));
  return new Map(rows.map((row) => [keyOf(row), row.userId]));
}
