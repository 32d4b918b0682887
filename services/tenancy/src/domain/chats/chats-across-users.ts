import { ask } from '@botyard/shared/bus/requests';
import type { ChatQuote, ChatWithPeople } from '@botyard/shared/contracts/users';
import { withPlatform } from '@botyard/shared/db/database';
import {
  listChats as listChatsRequest,
  listQuotes as listQuotesRequest,
} from '@botyard/shared/events/agents';
import { notFound } from '@botyard/shared/http/errors';
import type { Page, PageRequest } from '@botyard/shared/http/page';
import type { Deps } from '../../deps.ts';
import { listPeople, type Reach } from '../../store/people.ts';

const idsOf = (reach: Reach): string[] | null => (reach === 'everybody' ? null : [...reach]);

/** Chats within reach, as the agents service knows them. @throws HttpError 503. */
export async function listChats(
  { bus }: Pick<Deps, 'bus'>,
  reach: Reach,
  { limit, before }: PageRequest,
): Promise<Page<ChatWithPeople>> {
  const { chats, next } = await ask(bus, listChatsRequest, { tenantIds: idsOf(reach), limit, before });
  return { items: chats, next };
}

/** What was quoted within reach, as the agents service knows it. @throws HttpError 503. */
export async function listQuotes(
  { bus }: Pick<Deps, 'bus'>,
  reach: Reach,
  { limit, before, botId, chatId }: PageRequest & { botId?: string | undefined; chatId?: string | undefined },
): Promise<Page<ChatQuote>> {
  const wanted = { tenantIds: idsOf(reach), limit, before, botId, chatId };
  const { quotes, next } = await ask(bus, listQuotesRequest, wanted);
  return { items: quotes, next };
}

/**
 * What one person quoted: a user, or a person of a platform. No account on a platform is linked with a user yet, so a
 * user has quoted nothing. @throws HttpError 404 for whoever is out of reach, 503.
 */
export async function listQuotesOfUser(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  reach: Reach,
  { userId, limit, before }: PageRequest & { userId: string },
): Promise<Page<ChatQuote>> {
  const [user] = await withPlatform(database, 'get person', (tx) =>
    listPeople(tx, reach, { userId, limit: 1 }),
  );
  if (user) return { items: [] };
  const wanted = { tenantIds: idsOf(reach), limit, before, personId: userId };
  const { quotes, next, isPersonKnown } = await ask(bus, listQuotesRequest, wanted);
  if (!isPersonKnown) throw notFound('user');
  return { items: quotes, next };
}
