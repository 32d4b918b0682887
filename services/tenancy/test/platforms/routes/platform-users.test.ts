import type { PlatformUser, PlatformUserRights } from '@botyard/contracts/http/platform-users';
import type { Identity } from '@botyard/contracts/identity';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ChatSimulator } from '../../chat-simulator.ts';
import {
  callOk,
  integrationBody,
  linkAccount,
  newToken,
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

const path = '/api/platform-users';
const list = (query = '', as: Identity = platform.acme.admin): Promise<PlatformUser[]> =>
  callOk(platform.tenancy, 'GET', `${path}${query}`, { as });
const one = (personId: string): Promise<PlatformUserRights> =>
  callOk(platform.tenancy, 'GET', `${path}/${personId}`, { as: platform.acme.admin });
const post = (to: string, body: object) =>
  callOk(platform.tenancy, 'POST', `/api/auth/${to}`, { as: platform.acme.admin, body });

/** A bot that is connected to the messenger. */
async function connectedBot() {
  const bot = await simulator.createBot(platform.acme);
  await callOk(platform.tenancy, 'POST', `/api/bots/${bot.tenantId}/${bot.botId}/integrations`, {
    as: platform.acme.admin,
    body: integrationBody(newToken(platform.messenger)),
  });
  return bot;
}

const person = (platformUserId: string, name = 'Anna', username?: string) => ({
  sender: { platformUserId, name, ...(username ? { username } : {}) },
});

test('everybody who wrote is listed once, as they were called last, with the user who linked the account', async () => {
  const { acme, other } = platform;
  const bot = await simulator.createBot(acme);
  const [first, later] = ['2026-11-20T10:00:00.000Z', '2026-11-20T12:00:00.000Z'];
  await simulator.say(bot, { ...person('1', 'Anna', 'old'), receivedAt: first });
  await simulator.say(bot, { ...person('1', 'Anna Keller', 'new'), receivedAt: later });
  await simulator.say(await simulator.createBot(other), person('2'));
  const member = await userIdOf(platform, acme.member);
  await linkAccount(platform, member, '1');
  expect(await list()).toEqual([
    {
      personId: expect.any(String),
      platform: 'messenger',
      platformUserId: '1',
      name: 'Anna Keller',
      username: 'new',
      chats: 2,
      firstSeenAt: expect.any(String),
      lastSeenAt: later,
      userId: member,
      isMuted: false,
      privateChatGrants: 0,
    },
  ]);
  expect(await list('', other.admin)).toMatchObject([{ platformUserId: '2' }]);
});

test('a user of another tenant is not shown', async () => {
  const { acme, other } = platform;
  await simulator.say(await simulator.createBot(acme), person('1'));
  await linkAccount(platform, await userIdOf(platform, other.member), '1');
  expect((await list())[0]?.userId).toBeNull();
  expect(await list(`?userId=${await userIdOf(platform, other.member)}`)).toEqual([]);
});

test('filters narrow it, and no text in one means more than itself', async () => {
  const { acme } = platform;
  const [one, two] = [await simulator.createBot(acme), await simulator.createBot(acme)];
  await simulator.say(one, person('1', 'Anna 100% sure', 'anna_k'));
  await simulator.say(two, person('2', 'Annabel'));
  await simulator.say(two, { ...person('a@example.com', 'Mia'), platform: 'email' });
  const member = await userIdOf(platform, acme.member);
  await linkAccount(platform, member, '2');
  const ids = async (query: string) =>
    (await list(`?${query}`)).map((platformUser) => platformUser.platformUserId).sort();
  expect(await ids('platform=email')).toEqual(['a@example.com']);
  expect(await ids('search=ANNA')).toEqual(['1', '2']);
  expect(await ids('search=100%25')).toEqual(['1']);
  expect(await ids('search=%25')).toEqual(['1']);
  expect(await ids('search=a_k')).toEqual(['1']);
  expect(await ids(`search=${encodeURIComponent("' or 1=1 --")}`)).toEqual([]);
  expect(await ids(`botId=${two.botId}`)).toEqual(['2', 'a@example.com']);
  expect(await ids(`userId=${member}`)).toEqual(['2']);
  expect(await ids('platformUserId=1')).toEqual(['1']);
});

test('pages follow each other without a gap, also of people who were seen at the same moment', async () => {
  const { harness, acme } = platform;
  await simulator.say(await simulator.createBot(acme), person('1'));
  await harness.asOwner(
    `insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name, first_seen_at)
     select tenant_id, conversation_id, gen_random_uuid(), platform, n::text, repeat('語', 300), date_trunc('hour', first_seen_at)
     from agents.people cross join generate_series(2, 900) n`,
  );
  const personIds: string[] = [];
  let pages = 0;
  for (let next: string | undefined = `${path}?limit=500`; next; pages += 1) {
    const { body, headers, text, status } = await platform.tenancy.call('GET', next, { as: acme.admin });
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    personIds.push(...body.map((item: PlatformUser) => item.personId));
    next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect([personIds.length, new Set(personIds).size]).toEqual([900, 900]);
  expect(pages).toBeGreaterThan(2);
});

test("a person's details show which connected bots accept their messages, by the rules for messages", async () => {
  const { acme } = platform;
  const [open, closed, muted] = [await connectedBot(), await connectedBot(), await connectedBot()];
  const [strict, unconnected] = [await connectedBot(), await simulator.createBot(acme)];
  await simulator.say(open, person('1'));
  const account = { platform: 'messenger', platformUserId: '1' };
  for (const { botId } of [closed, strict])
    await callOk(platform.tenancy, 'PUT', `/api/auth/bots/${botId}`, {
      as: acme.admin,
      body: { privateChats: 'granted' },
    });
  await post('private-chat-grants', { botId: strict.botId, ...account });
  await post('moderation', { botId: muted.botId, ...account });
  const [listed] = await list();
  expect(listed).toMatchObject({ isMuted: true, privateChatGrants: 1 });
  const verdicts = async () =>
    new Map(
      (await one(listed!.personId)).bots.map(({ botId, isHeard, refusal }) => [botId, [isHeard, refusal]]),
    );
  const before = await verdicts();
  expect([open, closed, muted, strict, unconnected].map(({ botId }) => before.get(botId))).toEqual([
    [true, null],
    [false, 'private chat not granted'],
    [false, 'muted'],
    [true, null],
    undefined,
  ]);
  const text = `forbid(principal == Person::"messenger:1", action == Action::"sendMessage", resource == Bot::"${open.botId}");`;
  await post('policies', { name: 'Not Anna', text });
  expect((await verdicts()).get(open.botId)).toEqual([false, 'policy']);
  const answer = await platform.tenancy.call('GET', `${path}/${listed!.personId}`, {
    as: platform.other.admin,
  });
  expect(answer.status).toBe(404);
});
