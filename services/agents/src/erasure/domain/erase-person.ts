import type { Erased, ErasedPerson } from '@botyard/contracts/events/agents-requests';
import { chatKeyOf, platformCapabilities } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import { withTenant } from '@botyard/shared/db/database';
import { hasPassed } from '@botyard/shared/db/erase-bus-rows';
import { insertErasedPeople } from '@botyard/shared/db/erased-people';
import { failpoint } from '@botyard/shared/service/failpoint';
import { deleteStaff } from '../../takeover/store/staff.ts';
import type { Deps } from '../deps.ts';
import { deleteCalls, deleteRecords } from '../store/collected.ts';
import {
  listAccounts,
  listConversationsOfPeople,
  maxConversations,
  type PersonConversation,
} from '../store/people.ts';
import { deleteChatStates, deletePeople, deleteQuotes, forgetPlaces } from '../store/private-chats.ts';
import { eraseEvents } from './erase-events.ts';
import { eraseInGroups, erasePrivate } from './erase-said.ts';
import { type EraseDeps, type Erasure, Tally } from './erasure.ts';
import { eraseFromArchive } from './rewrite-archive.ts';

/** Time limit of one call. The caller waits for the result and calls again. */
const budgetMs = 15_000;
const waitMs = 5000;
const batchSize = 1000;

/** The accounts with hashed identifiers, and their conversations. */
export async function findPerson(
  { database }: Pick<Deps, 'database'>,
  { tenantId, personIds, accounts }: ErasedPerson,
): Promise<{ accounts: Account[]; conversations: PersonConversation[] }> {
  return await withTenant(database, [tenantId], async (tx) => {
    const erasedAccounts = accounts.length > 0 ? accounts : await listAccounts(tx, tenantId, personIds);
    return {
      accounts: erasedAccounts,
      conversations: await listConversationsOfPeople(tx, { tenantId, personIds, accounts: erasedAccounts }),
    };
  });
}

/**
 * Erases a part of a person's data, for at most some seconds, and returns whether that was all. Later messages are
 * refused from the start. Each call continues where the previous one stopped.
 */
export async function erasePerson(deps: EraseDeps, person: ErasedPerson): Promise<Erased> {
  const erasedBefore = new Date(person.erasedBefore);
  const { tenantId, personIds } = person;
  await withTenant(deps.database, [tenantId], (tx) =>
    insertErasedPeople(tx, 'agents', { tenantId, personIds, erasedBefore }),
  );
  if (!(await hasPassed(deps.database, Date.now() + waitMs)))
    return { receipts: [], isDone: false, waitsFor: 'transactions that began before the request' };
  const { accounts, conversations } = await findPerson(deps, person);
  const erasure = erasureOf(person, accounts, conversations);
  const tally = new Tally();
  const isDone = await eraseWithin(deps, erasure, tally);
  return { receipts: tally.receipts, isDone: isDone && conversations.length < maxConversations };
}

function erasureOf(
  { tenantId, personIds, erasedBefore }: ErasedPerson,
  accounts: readonly Account[],
  conversations: readonly PersonConversation[],
): Erasure {
  const idsOf = (ofPlace: readonly PersonConversation[]) =>
    ofPlace.map(({ conversationId }) => conversationId);
  const [privateChats, groups] = [true, false].map((isPrivate) =>
    conversations.filter((conversation) => conversation.isPrivate === isPrivate),
  ) as [PersonConversation[], PersonConversation[]];
  const byPlatform = Map.groupBy(groups, ({ platform }) => platform);
  return {
    tenantId,
    personIds,
    accounts,
    chatKeys: [
      ...accounts.map(({ platform, platformUserId }) => chatKeyOf(platform, platformUserId)),
      ...privateChats.map(({ platform, platformChatId }) => chatKeyOf(platform, platformChatId)),
    ],
    addresses: accounts
      .filter(({ platform }) => platformCapabilities[platform].usesAddresses)
      .map(({ platformUserId }) => platformUserId),
    privateIds: idsOf(privateChats),
    groupIds: idsOf(groups),
    groupsOf: new Map([...byPlatform].map(([platform, ofPlatform]) => [platform, idsOf(ofPlatform)])),
    erasedBefore: new Date(erasedBefore),
    deadline: Date.now() + budgetMs,
  };
}

async function eraseWithin(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  if (!(await eraseCollected(deps, erasure, tally))) return false;
  if (!(await erasePrivate(deps, erasure, tally))) return false;
  if (!(await eraseInGroups(deps, erasure, tally))) return false;
  await failpoint('agents.erasure.before-archive');
  const archive = await eraseFromArchive(deps, erasure);
  tally.add('archive', archive.lines);
  const isOffTheBus = await eraseEvents(deps, erasure, tally);
  if (!archive.isDone || !isOffTheBus) return false;
  // Deleted last, because these rows identify the person after a crash.
  await forgetPerson(deps, erasure, tally);
  return true;
}

async function eraseCollected({ database }: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  const { tenantId, deadline } = erasure;
  for (const store of ['tool_tickets', 'tool_executions', 'app_records'] as const) {
    for (let erased = -1; erased !== 0; ) {
      if (Date.now() > deadline) return false;
      erased = await withTenant(database, [tenantId], (tx) =>
        store === 'app_records'
          ? deleteRecords(tx, erasure, batchSize)
          : deleteCalls(tx, store, erasure, batchSize),
      );
      tally.add(store, erased);
    }
  }
  return true;
}

async function forgetPerson({ database }: EraseDeps, erasure: Erasure, tally: Tally): Promise<void> {
  const { tenantId, privateIds, groupIds } = erasure;
  await withTenant(database, [tenantId], async (tx) => {
    tally.add('staff', await deleteStaff(tx, erasure));
    tally.add('quotes', await deleteQuotes(tx, erasure));
    tally.add('chat_states', await deleteChatStates(tx, erasure));
    tally.add('conversations', await forgetPlaces(tx, { ...erasure, conversationIds: privateIds }));
    const conversationIds = [...privateIds, ...groupIds];
    tally.add('people', await deletePeople(tx, { ...erasure, conversationIds }));
  });
}
