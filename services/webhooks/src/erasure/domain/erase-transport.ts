import type { Erased } from '@botyard/contracts/events/agents-requests';
import type { eraseTransport as request } from '@botyard/contracts/events/webhook-requests';
import { type PlatformName, platformsThat } from '@botyard/contracts/http/platform';
import { hasCaughtUp } from '@botyard/shared/bus/erase-events';
import { withTenant } from '@botyard/shared/db/database';
import { hasPassed } from '@botyard/shared/db/erase-bus-rows';
import { insertErasedPeople } from '@botyard/shared/db/erased-people';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { z } from 'zod';
import { conversationIdOf } from '../../chats/domain/conversation-id.ts';
import { eraseMedia } from '../../media/domain/erase-media.ts';
import { eraseMails, forgetMail } from '../../platforms/mailgun/domain/erase-mail.ts';
import { listThreads } from '../../platforms/mailgun/store/erasure.ts';
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
  const outcome = await eraseWithin(deps, erasure);
  const receipts = [...counts].map(([store, erased]) => ({ store: `webhooks.${store}`, erased }));
  return { receipts, ...outcome };
}

const groupsOf = ({ conversations }: Asked): string[] =>
  conversations.filter(({ isPrivate }) => !isPrivate).map(({ conversationId }) => conversationId);

async function eraseWithin(deps: EraseDeps, erasure: Erasure): Promise<Omit<Erased, 'receipts'>> {
  const { database } = deps;
  const { transport, groupIds, deadline, add } = erasure;
  const { tenantId } = transport;
  // Runs before the replies are erased, because they show which mails answer an erased one.
  if (!(await eraseMails(deps, erasure))) return { isDone: false };
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
    add('chats', await deleteChats(tx, transport));
    for (const { name, erasePeople } of Object.values(deps.platforms)) {
      const erased = await erasePeople?.(tx, transport);
      if (erased !== undefined) add(name, erased);
    }
    const groups = await emptyReplies(tx, tenantId, groupIds);
    add('replies', groups.emptied);
    return groups.waiting;
  });
  if (!(await eraseEvents(deps, erasure))) return { isDone: false };
  // Runs last: after a kill, the person's conversations are found again by their threads.
  await forgetMail(deps, erasure);
  return waiting > 0
    ? { isDone: false, waitsFor: 'replies to groups that are not sent yet' }
    : { isDone: true };
}

/** A person's private conversations follow from the existing bots and from their threads. */
async function transportOf(
  { database }: EraseDeps,
  asked: Asked,
  erasedBefore: Date,
): Promise<PrivateTransport> {
  const { tenantId, accounts, conversations } = asked;
  const of = (platforms: readonly PlatformName[]) =>
    accounts
      .filter(({ platform }) => platforms.includes(platform))
      .map(({ platformUserId }) => platformUserId);
  const chatIds = of(platformsThat('privateChatIsPerson'));
  const addresses = of(platformsThat('usesAddresses'));
  const [botIds, threads] = await withTenant(database, [tenantId], async (tx) => [
    await listBotIds(tx, tenantId),
    await listThreads(tx, { tenantId, addresses }),
  ]);
  const ofChats = botIds.flatMap((botId) => chatIds.map((chatId) => conversationIdOf(botId, chatId)));
  const told = conversations.filter(({ isPrivate }) => isPrivate).map(({ conversationId }) => conversationId);
  const ofThreads = threads.map(({ conversationId }) => conversationId);
  const conversationIds = [...new Set([...ofChats, ...ofThreads, ...told])];
  const threadIds = threads.map(({ threadId }) => threadId);
  return { tenantId, chatIds, addresses, threadIds, conversationIds, erasedBefore };
}
