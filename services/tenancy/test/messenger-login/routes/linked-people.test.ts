import type { ChatQuote, ChatWithPeople } from '@botyard/contracts/http/users';
import type { Identity } from '@botyard/contracts/identity';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ChatSimulator } from '../../chat-simulator.ts';
import {
  callOk,
  linkAccount,
  newPerson,
  openPlatform,
  type Platform,
  startAgents,
  userIdOf,
} from '../../whole-platform.ts';

let platform: Platform;
let simulator: ChatSimulator;

beforeAll(async () => {
  platform = await openPlatform();
  await startAgents(platform);
  simulator = new ChatSimulator(platform);
});
beforeEach(async () => {
  await platform.harness.asOwner(
    'truncate agents.conversations, agents.messages, agents.people, agents.quotes',
  );
  await platform.harness.asOwner('truncate tenancy.identity_links');
});
afterAll(() => platform?.close());

const get = (path: string, as: Identity) => callOk(platform.tenancy, 'GET', `/api/users${path}`, { as });
const quotesOf = (userId: string, as: Identity): Promise<ChatQuote[]> => get(`/${userId}/quotes`, as);
const chats = (query: string, as: Identity): Promise<ChatWithPeople[]> => get(`/chats${query}`, as);
const quote = { kind: 'quote', text: 'Refunds take a week.' } as const;
const by = (platformUserId: string) => ({ sender: { platformUserId, name: 'Anna' }, quote });

test("a user's quotes are those of all accounts that are linked to them, and of no other", async () => {
  const { acme } = platform;
  const bot = await simulator.createBot(acme);
  const member = await userIdOf(platform, acme.member);
  await simulator.say(bot, by('1'));
  await simulator.say(bot, by('2'));
  await simulator.say(bot, by('3'));
  expect(await quotesOf(member, acme.admin)).toEqual([]);
  await linkAccount(platform, member, '1');
  await linkAccount(platform, member, '2');
  await linkAccount(platform, member, '3', 'email');
  const quotes = await quotesOf(member, acme.admin);
  expect(quotes.map(({ quotedBy }) => [quotedBy.platformUserId, quotedBy.userId])).toEqual([
    ['2', member],
    ['1', member],
  ]);
  const first = await get(`/${member}/quotes?limit=1`, acme.admin);
  expect(first).toEqual([quotes[0]]);
});

test('an admin of several tenants sees quotations between people of both; an operator sees all', async () => {
  const { acme, other } = platform;
  const member = await userIdOf(platform, acme.member);
  await linkAccount(platform, member, '1');
  await simulator.say(await simulator.createBot(acme), by('1'));
  await simulator.say(await simulator.createBot(other), by('1'));
  // An admin of both tenants does not learn in one of them the identity of a person whom they know from the other.
  const both = await newPerson(platform);
  for (const { tenantId, admin } of [acme, other])
    await callOk(platform.tenancy, 'POST', `/api/bots/tenants/${tenantId}/members`, {
      as: admin,
      body: { userId: both.userId, role: 'admin' },
    });
  const tenantsOf = (quotes: ChatQuote[]) => quotes.map(({ tenantId }) => tenantId);
  expect(tenantsOf(await quotesOf(member, acme.admin))).toEqual([acme.tenantId]);
  expect(tenantsOf(await quotesOf(member, both.as))).toEqual([acme.tenantId]);
  expect(tenantsOf(await quotesOf(member, acme.operator)).sort()).toEqual(
    [acme.tenantId, other.tenantId].sort(),
  );
  const seen: ChatQuote[] = await get('/quotes', both.as);
  expect(seen.map(({ tenantId, quotedBy }) => [tenantId, quotedBy.userId])).toEqual([
    [other.tenantId, undefined],
    [acme.tenantId, member],
  ]);
});

test('chats show which of their people are users of the tenant, and can be filtered by one', async () => {
  const { acme, other } = platform;
  const bot = await simulator.createBot(acme);
  const [member, stranger] = [await userIdOf(platform, acme.member), await userIdOf(platform, other.member)];
  await linkAccount(platform, member, '1');
  await linkAccount(platform, stranger, '2');
  const { chatId } = await simulator.say(bot, by('1'));
  await simulator.say(bot, by('2'));
  const people = (await chats('', acme.admin)).map((chat) => chat.people[0]?.userId);
  expect(people).toEqual([undefined, member]);
  const ids = async (userId: string, as = acme.admin) =>
    (await chats(`?userId=${userId}`, as)).map((chat) => chat.chatId);
  expect(await ids(member)).toEqual([chatId]);
  expect(await ids(stranger)).toEqual([]);
  expect(await ids(await userIdOf(platform, acme.admin))).toEqual([]);
  expect(await ids(member, other.admin)).toEqual([]);
  expect(await ids(stranger, acme.operator)).toHaveLength(1);
});
