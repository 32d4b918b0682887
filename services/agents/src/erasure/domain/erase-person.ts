import type { Erased, ErasedPerson } from '@botyard/contracts/events/agents-requests';
import { chatKeyOf, platformCapabilities } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { hasPassed } from '@botyard/shared/db/erase-bus-rows';
import { insertErasedPeople } from '@botyard/shared/db/erased-people';
import { failpoint } from '@botyard/shared/service/failpoint';
import { eraseOwnAccounts } from '../../mcp/domain/own-accounts.ts';
import { deleteStaff } from '../../takeover/store/staff.ts';
import type { Deps } from '../deps.ts';
import {
  deleteCalls,
  deleteCases,
  deleteOutcomes,
  deleteRatingQuestions,
  deleteRecords,
  deleteReleaseSessions,
} from '../store/collected.ts';
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
  let done = 0;
  while (done < steps.length && (await steps[done]!(deps, erasure, tally))) done += 1;
  const isDone = done === steps.length && conversations.length < maxConversations;
  return { receipts: tally.receipts, isDone };
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

/**
 * Run in this order until one returns `false`, because it has more to erase. The rows that identify the person after a
 * crash are deleted last.
 */
const steps: readonly ((deps: EraseDeps, erasure: Erasure, tally: Tally) => Promise<boolean>)[] = [
  eraseAccounts,
  eraseCollected,
  erasePrivate,
  eraseInGroups,
  eraseCases,
  eraseArchiveAndEvents,
  eraseIdentity,
];

type Delete = (tx: TenantTx, erasure: Erasure) => Promise<number>;

/** The tables of data that was collected about the person, deleted in batches. */
const collected: Readonly<Record<string, Delete>> = {
  tool_tickets: (tx, erasure) => deleteCalls(tx, 'tool_tickets', erasure, batchSize),
  tool_executions: (tx, erasure) => deleteCalls(tx, 'tool_executions', erasure, batchSize),
  app_records: (tx, erasure) => deleteRecords(tx, erasure, batchSize),
};

/** The tables of what was made of messages, which is made no more once these are erased. */
const madeOfMessages: Readonly<Record<string, Delete>> = {
  release_sessions: (tx, erasure) => deleteReleaseSessions(tx, erasure, batchSize),
  rating_questions: deleteRatingQuestions,
  session_outcomes: (tx, erasure) => deleteOutcomes(tx, erasure, batchSize),
  evaluation_cases: (tx, erasure) => deleteCases(tx, erasure, batchSize),
};

/** The rows that identify the person. */
const identity: Readonly<Record<string, Delete>> = {
  staff: deleteStaff,
  quotes: deleteQuotes,
  chat_states: deleteChatStates,
  conversations: (tx, erasure) => forgetPlaces(tx, { ...erasure, conversationIds: erasure.privateIds }),
  people: (tx, erasure) => {
    const conversationIds = [...erasure.privateIds, ...erasure.groupIds];
    return deletePeople(tx, { ...erasure, conversationIds });
  },
};

/** Their own accounts at MCP servers come first, so that no call uses them any more. */
async function eraseAccounts(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  const { grants, links } = await eraseOwnAccounts(deps, erasure);
  tally.add('server_grants', grants);
  tally.add('server_links', links);
  return true;
}

function eraseCollected(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  return eraseFrom(collected, deps, { erasure, tally });
}

function eraseCases(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  return eraseFrom(madeOfMessages, deps, { erasure, tally });
}

/** Returns `false` when the time ran out. */
async function eraseFrom(
  tables: Readonly<Record<string, Delete>>,
  { database }: EraseDeps,
  { erasure, tally }: { erasure: Erasure; tally: Tally },
): Promise<boolean> {
  const { tenantId, deadline } = erasure;
  for (const [store, deleteSome] of Object.entries(tables)) {
    for (let erased = -1; erased !== 0; ) {
      if (Date.now() > deadline) return false;
      erased = await withTenant(database, [tenantId], (tx) => deleteSome(tx, erasure));
      tally.add(store, erased);
    }
  }
  return true;
}

async function eraseArchiveAndEvents(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  await failpoint('agents.erasure.before-archive');
  const archive = await eraseFromArchive(deps, erasure);
  tally.add('archive', archive.lines);
  const isOffTheBus = await eraseEvents(deps, erasure, tally);
  return archive.isDone && isOffTheBus;
}

async function eraseIdentity({ database }: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  await withTenant(database, [erasure.tenantId], async (tx) => {
    for (const [store, deleteAll] of Object.entries(identity)) tally.add(store, await deleteAll(tx, erasure));
  });
  return true;
}
