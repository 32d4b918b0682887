import {
  listChats as listChatsRequest,
  listQuotes as listQuotesRequest,
} from '@botyard/contracts/events/agents';
import type { Page, PageRequest } from '@botyard/contracts/http/page';
import type { ChatQuote, ChatWithPeople } from '@botyard/contracts/http/users';
import { ask } from '@botyard/shared/bus/requests';
import { type Database, withPlatform } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { listLinksOf } from '../../messenger-login/store/links.ts';
import type { Deps } from '../deps.ts';
import { listPeople, type Reach } from '../store/people.ts';
import { withOwnersOfChats, withOwnersOfQuotes } from './owners.ts';

const idsOf = (reach: Reach): string[] | null => (reach === 'everybody' ? null : [...reach]);

interface ByUser {
  /** Includes only this user, by their linked accounts. */
  userId?: string | undefined;
}

/** Chats within reach, from the agents service. @throws HttpError 503. */
export async function listChats(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  reach: Reach,
  { limit, before, userId }: PageRequest & ByUser,
): Promise<Page<ChatWithPeople>> {
  const page = { tenantIds: idsOf(reach), limit, before };
  const ofUser = userId === undefined ? undefined : await findUser(database, reach, userId);
  if (userId !== undefined && !ofUser?.accounts) return { items: [] };
  const { chats, next } = await ask(bus, listChatsRequest, { ...page, ...ofUser });
  return { items: await withOwnersOfChats(database, chats), next };
}

/** Quotes within reach, from the agents service. @throws HttpError 503. */
export async function listQuotes(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  reach: Reach,
  { limit, before, botId, chatId }: PageRequest & { botId?: string | undefined; chatId?: string | undefined },
): Promise<Page<ChatQuote>> {
  const wanted = { tenantIds: idsOf(reach), limit, before, botId, chatId };
  const { quotes, next } = await ask(bus, listQuotesRequest, wanted);
  return { items: await withOwnersOfQuotes(database, quotes), next };
}

/**
 * Quotes of one person: a user, by all their linked accounts, or a person of a platform. @throws HttpError 404 for
 * people out of reach, 503.
 */
export async function listQuotesOfUser(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  reach: Reach,
  { userId, limit, before }: PageRequest & { userId: string },
): Promise<Page<ChatQuote>> {
  const ofUser = await findUser(database, reach, userId);
  if (ofUser && !ofUser.accounts) return { items: [] };
  const wanted = { tenantIds: idsOf(reach), limit, before, ...(ofUser ?? { personId: userId }) };
  const { quotes, next, isPersonKnown } = await ask(bus, listQuotesRequest, wanted);
  if (!isPersonKnown) throw notFound('user');
  return { items: await withOwnersOfQuotes(database, quotes), next };
}

/**
 * A user's accounts, and the tenants within reach that the user has visited, in which to look for the accounts. An
 * operator looks everywhere. Returns `undefined` for a user out of reach, and no `accounts` if none is linked, or none
 * may be shown.
 */
async function findUser(database: Database, reach: Reach, userId: string) {
  return await withPlatform(database, 'accounts of a person', async (tx) => {
    const [user] = await listPeople(tx, reach, { userId, limit: 1 });
    if (!user) return undefined;
    const links = await listLinksOf(tx, userId);
    const accounts = links.map(({ platform, platformUserId }) => ({ platform, platformUserId }));
    const visited = user.tenants.filter(({ isVisited }) => isVisited).map(({ tenantId }) => tenantId);
    const tenantIds = reach === 'everybody' ? null : visited;
    return { tenantIds, accounts: accounts.length === 0 || tenantIds?.length === 0 ? undefined : accounts };
  });
}
