import type { Erased } from '@botyard/contracts/events/agents-requests';
import type { eraseTransport as request } from '@botyard/contracts/events/webhook-requests';
import { chatKeyOf, type PlatformName, platformCapabilities } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import { hasCaughtUp } from '@botyard/shared/bus/erase-events';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { hasPassed } from '@botyard/shared/db/erase-bus-rows';
import { insertErasedPeople } from '@botyard/shared/db/erased-people';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { z } from 'zod';
import { conversationIdOf } from '../../chats/domain/conversation-id.ts';
import { eraseMedia } from '../../media/domain/erase-media.ts';
import type { Platforms } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import {
  deleteChats,
  deleteReplies,
  emptyReplies,
  isSending,
  listBotIds,
  type PrivateTransport,
} from '../store/transport.ts';
import { type EraseDeps, type Erasure, eraseEvents } from './erase-events.ts';

type Asked = z.output<typeof request.request>;

const budgetMs = 15_000;
const waitMs = 5000;
const batchSize = 1000;

/**
 * Erases a part of the data that is in transit to or from a person, for at most some seconds. Returns whether nothing
 * is left. Identifiers of deliveries are kept for their 8 days: they identify no person, and make repeated messages
 * recognizable as duplicates.
 */
export async function eraseTransport(deps: EraseDeps, asked: Asked): Promise<Erased> {
  const { bus, database } = deps;
  const { tenantId, personIds } = asked;
  const erasedBefore = new Date(asked.erasedBefore);
  await withTenant(database, [tenantId], (tx) =>
    insertErasedPeople(tx, 'webhooks', { tenantId, personIds, erasedBefore }),
  );
  if (!(await hasPassed(database, Date.now() + waitMs)))
    return { receipts: [], isDone: false, waitsFor: 'transactions that began before the request' };
  if (!(await hasCaughtUp(bus, 'agents', Date.now() + waitMs)))
    return { receipts: [], isDone: false, waitsFor: 'replies that are on their way to be sent' };
  const transport = await transportOf(deps, asked, erasedBefore);
  if (await withTenant(database, [tenantId], (tx) => isSending(tx, transport)))
    return { receipts: [], isDone: false, waitsFor: 'a message that is being sent' };
  const counts = new Map<string, number>();
  const erasure: Erasure = {
    transport,
    groupIds: groupsOf(asked),
    deadline: Date.now() + budgetMs,
    add: (store, erased) => counts.set(store, (counts.get(store) ?? 0) + erased),
  };
  await forgetPeople(deps, asked, erasure);
  const outcome = await eraseWithin(deps, erasure);
  const receipts = [...counts].map(([store, erased]) => ({ store: `webhooks.${store}`, erased }));
  return { receipts, ...outcome };
}

/** Removes what the adapters know about the person. */
async function forgetPeople(
  { database, platforms }: EraseDeps,
  { tenantId, accounts }: Asked,
  { add }: Erasure,
) {
  await withTenant(database, [tenantId], async (tx) => {
    for (const platform of Object.values(platforms)) {
      const platformUserIds = idsAt(platform.name, accounts);
      const erased =
        platformUserIds.length > 0 ? await platform.forgetPeople?.(tx, { tenantId, platformUserIds }) : {};
      for (const [store, rows] of Object.entries(erased ?? {})) add(store, rows);
    }
  });
}

const groupsOf = ({ conversations }: Asked): string[] =>
  conversations.filter(({ isPrivate }) => !isPrivate).map(({ conversationId }) => conversationId);

async function eraseWithin(deps: EraseDeps, erasure: Erasure): Promise<Omit<Erased, 'receipts'>> {
  const { database } = deps;
  const { transport, groupIds, deadline, add } = erasure;
  const { tenantId } = transport;
  // Runs before the replies are erased, because they show which mails answer an erased one.
  for (const { people, erasure: own } of recordsOf(deps, erasure))
    if (people.erase && !(await people.erase(own))) return { isDone: false };
  const media = await eraseMedia(deps, transport, deadline);
  add('media', media.erased);
  if (!media.isDone) return { isDone: false, waitsFor: 'a file that is being fetched' };
  let erased = -1;
  while (erased !== 0) {
    erased = await withTenant(database, [tenantId], (tx) => deleteReplies(tx, transport, batchSize));
    add('replies', erased);
    await failpoint('webhooks.erasure.between-batches');
    if (Date.now() > deadline) return { isDone: false };
  }
  const waiting = await withTenant(database, [tenantId], async (tx) => {
    const { chats, moves } = await deleteChats(tx, transport);
    add('chats', chats);
    if (moves > 0) add('chat_moves', moves);
    const groups = await emptyReplies(tx, tenantId, groupIds);
    add('replies', groups.emptied);
    return groups.waiting;
  });
  if (!(await eraseEvents(deps, erasure))) return { isDone: false };
  // Runs last: after a kill, the person's conversations are found again by these records.
  for (const { people, erasure: own } of recordsOf(deps, erasure)) await people.forget?.(own);
  return waiting > 0
    ? { isDone: false, waitsFor: 'replies to groups that are not sent yet' }
    : { isDone: true };
}

/** The records of the platforms at which the person has an account. */
function recordsOf({ platforms }: Pick<Deps, 'platforms'>, { transport, deadline, add }: Erasure) {
  const { tenantId, accounts, erasedBefore } = transport;
  return Object.values(platforms).flatMap(({ name, people }) => {
    const platformUserIds = idsAt(name, accounts);
    if (!people || platformUserIds.length === 0) return [];
    return [{ name, people, erasure: { tenantId, platformUserIds, erasedBefore, deadline, add } }];
  });
}

const idsAt = (name: PlatformName, accounts: readonly Account[]): string[] =>
  accounts.filter(({ platform }) => platform === name).map(({ platformUserId }) => platformUserId);

interface PrivateChat {
  platform: PlatformName;
  platformChatId: string;
}

/**
 * A person's private conversations: those of chats that have the person's identifier, with every bot; those in the
 * records of platforms; and those where the person has written.
 */
async function transportOf(
  { database, platforms }: Pick<Deps, 'database' | 'platforms'>,
  { tenantId, accounts, conversations }: Asked,
  erasedBefore: Date,
): Promise<PrivateTransport> {
  const themselves = accounts
    .filter(({ platform }) => platformCapabilities[platform].privateChatIsPerson)
    .map(({ platform, platformUserId }) => ({ platform, platformChatId: platformUserId }));
  const [botIds, recorded] = await withTenant(database, [tenantId], async (tx) => [
    await listBotIds(tx, tenantId),
    await listRecorded(tx, platforms, { tenantId, accounts }),
  ]);
  const written = conversations.filter(({ isPrivate }) => isPrivate);
  const derived = botIds.flatMap((botId) =>
    themselves.map((chat) => conversationIdOf({ botId, ...chat }, chat.platformChatId)),
  );
  const writtenChats = written.flatMap(({ platform, platformChatId }): PrivateChat[] =>
    platform && platformChatId ? [{ platform, platformChatId }] : [],
  );
  const chats = [...themselves, ...recorded, ...writtenChats];
  return {
    tenantId,
    accounts,
    named: [
      ...accounts.map(({ platform, platformUserId }) => ({ platform, id: platformUserId })),
      ...writtenChats.map(({ platform, platformChatId }) => ({ platform, id: platformChatId })),
    ],
    chatKeys: [...new Set(chats.map(({ platform, platformChatId }) => chatKeyOf(platform, platformChatId)))],
    conversationIds: [
      ...new Set([...derived, ...[...recorded, ...written].map(({ conversationId }) => conversationId)]),
    ],
    erasedBefore,
  };
}

async function listRecorded(
  tx: TenantTx,
  platforms: Platforms,
  { tenantId, accounts }: Pick<Asked, 'tenantId' | 'accounts'>,
): Promise<(PrivateChat & { conversationId: string })[]> {
  const chats: (PrivateChat & { conversationId: string })[] = [];
  for (const { name: platform, people } of Object.values(platforms)) {
    const platformUserIds = idsAt(platform, accounts);
    if (!people?.listPrivateChats || platformUserIds.length === 0) continue;
    const recorded = await people.listPrivateChats(tx, { tenantId, platformUserIds });
    chats.push(...recorded.map((chat) => ({ ...chat, platform })));
  }
  return chats;
}
