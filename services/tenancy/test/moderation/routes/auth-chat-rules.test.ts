import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { maxChannelGrants, maxPrivateChatGrants } from '@botyard/contracts/http/auth-chat-rules';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBot, emitted, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;
let foreignBotId: string;
let next = 1000;

beforeAll(async () => {
  services = await openTenancyServices();
  botId = await createBot(services, services.acme);
  foreignBotId = await createBot(services, services.other);
});
afterAll(() => services?.close());

const call = (method: string, end: string, body?: unknown, as = services.acme.admin) =>
  services.tenancy.call(method, `/api/auth${end}`, { as, body });
const announced = async () => (await emitted(services.harness, authorizationChanged)).length;

describe('the rules of a bot', () => {
  test('let everybody in until they are changed, field by field, and each change is announced', async () => {
    const path = `/bots/${botId}`;
    expect((await call('GET', path)).body).toEqual({ botId, channels: 'all', privateChats: 'all' });
    const before = await announced();
    const first = await call('PUT', path, { channels: 'granted' });
    expect([first.status, first.body]).toEqual([200, { botId, channels: 'granted', privateChats: 'all' }]);
    await call('PUT', path, { privateChats: 'granted' });
    expect((await call('GET', path)).body).toEqual({ botId, channels: 'granted', privateChats: 'granted' });
    expect((await call('PUT', path, { channels: 'all' })).body.privateChats).toBe('granted');
    expect(await announced()).toBe(before + 3);
  });

  test("are 404 for another tenant's bot, and for a missing one", async () => {
    for (const [method, body] of [['GET'], ['PUT', { channels: 'granted' }]] as const) {
      const [foreign, missing] = [
        await call(method, `/bots/${foreignBotId}`, body),
        await call(method, `/bots/${randomUUID()}`, body),
      ];
      expect([foreign.status, missing.status]).toEqual([404, 404]);
      expect(foreign.text).toBe(missing.text);
    }
    const theirs = await call('GET', `/bots/${foreignBotId}`, undefined, services.other.admin);
    expect(theirs.body.channels).toBe('all');
  });

  test('are 400 if they are unknown', async () => {
    const answer = await call('PUT', `/bots/${botId}`, { channels: 'none' });
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'channels']);
  });
});

interface Kind {
  path: string;
  of: string;
  most: number;
  table: string;
  fresh: () => Record<string, string>;
  label: string;
}

const kinds: Kind[] = [
  {
    path: '/channel-grants',
    of: 'platformChatId',
    most: maxChannelGrants,
    table: 'channel_grants',
    fresh: () => ({ botId, platform: 'messenger', platformChatId: `-100${next++}` }),
    label: 'title',
  },
  {
    path: '/private-chat-grants',
    of: 'platformUserId',
    most: maxPrivateChatGrants,
    table: 'private_chat_grants',
    fresh: () => ({ botId, platform: 'messenger', platformUserId: String(next++) }),
    label: 'name',
  },
];

describe.each(kinds)('$path', ({ path, of, most, table, fresh, label }) => {
  test('a grant is made, listed and taken back, and each change is announced', async () => {
    const before = await announced();
    const wanted = fresh();
    const hostile = `\u202E${'ش'.repeat(100)}`;
    const created = await call('POST', path, { ...wanted, [label]: hostile });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...wanted, [label]: hostile, grantId: expect.any(String) });
    const listed = await call('GET', `${path}?botId=${botId}&limit=1`);
    expect(listed.body).toEqual([created.body]);
    expect((await call('GET', `${path}?botId=${foreignBotId}`)).body).toEqual([]);
    const one = `${path}/${created.body.grantId}`;
    expect((await call('DELETE', one, undefined, services.other.admin)).status).toBe(404);
    expect((await call('DELETE', one)).status).toBe(204);
    expect((await call('DELETE', one)).status).toBe(404);
    const events = (await emitted(services.harness, authorizationChanged)).slice(before);
    expect(events).toEqual(Array(2).fill({ tenantId: services.acme.tenantId }));
  });

  test('ten equal simultaneous ones make one grant and nine conflicts', async () => {
    const wanted = fresh();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', path, wanted)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test('a bot of another tenant is 404 like a missing one', async () => {
    const foreign = await call('POST', path, { ...fresh(), botId: foreignBotId });
    const missing = await call('POST', path, { ...fresh(), botId: randomUUID() });
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(missing.text);
  });

  test.each([
    ['letters', 'abc'],
    ['nothing', ''],
    ['65 characters', '1'.repeat(65)],
    ['10,000 characters', '1'.repeat(10_000)],
    ['a minus alone', '-'],
    ['a line break', '1\n'],
  ])('%s for an identifier is 400 with the field', async (_what, value) => {
    const answer = await call('POST', path, { ...fresh(), [of]: value });
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, of]);
  });

  test('is 400 without a bot, or with a long label', async () => {
    const { botId: _, ...homeless } = fresh();
    expect((await call('POST', path, homeless)).body.issues[0].path).toBe('botId');
    const long = await call('POST', path, { ...fresh(), [label]: 'x'.repeat(201) });
    expect([long.status, long.body.issues[0].path]).toEqual([400, label]);
  });

  test('an address is kept in lower case', async () => {
    const address = `Team${next++}@Example.com`;
    const body = { botId, platform: 'email', [of]: address };
    expect((await call('POST', path, body)).body[of]).toBe(address.toLowerCase());
    expect((await call('POST', path, body)).status).toBe(409);
  });

  test('pages contain every grant once, newest first', async () => {
    const ownBot = await createBot(services, services.acme);
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1)
      made.push((await call('POST', path, { ...fresh(), botId: ownBot })).body.grantId);
    const seen: string[] = [];
    for (let page: string | undefined = `/api/auth${path}?botId=${ownBot}&limit=2`; page; ) {
      const { body, headers } = await services.tenancy.call('GET', page, { as: services.acme.admin });
      seen.push(...body.map(({ grantId }: { grantId: string }) => grantId));
      page = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(made.toReversed());
  });

  test('one tenant has a bounded number of them', async () => {
    const { harness, other } = services;
    const column = of === 'platformChatId' ? 'platform_chat_id' : 'platform_user_id';
    await harness.asOwner(
      `insert into tenancy.${table} (tenant_id, grant_id, bot_id, platform, ${column})
       select $1, tenancy.new_id(), $2, 'messenger', '9' || number from generate_series(1, $3::int) number`,
      [other.tenantId, foreignBotId, most - 1],
    );
    const add = () => call('POST', path, { ...fresh(), botId: foreignBotId }, other.admin);
    const statuses = (await Promise.all([add(), add(), add()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 422, 422]);
  });
});

test('a grant for private chats can expire, is then replaced, and makes room when there are too many', async () => {
  const { harness, acme, other } = services;
  const path = '/private-chat-grants';
  const wanted = { botId, platform: 'messenger', platformUserId: String(next++) };
  const until = new Date(Date.now() + 60_000).toISOString();
  const { body: first } = await call('POST', path, { ...wanted, until });
  expect(first.until).toBe(until);
  expect((await call('POST', path, wanted)).status).toBe(409);
  await harness.asOwner('update tenancy.private_chat_grants set until = now() where grant_id = $1', [
    first.grantId,
  ]);
  const again = await call('POST', path, wanted);
  expect([again.status, again.body.until]).toEqual([201, null]);
  const past = await call('POST', path, { ...wanted, until: '2020-01-01T00:00:00Z' });
  expect([past.status, past.body.issues[0].path]).toEqual([400, 'until']);
  // The other tenant is full since the test before.
  await harness.asOwner(
    `update tenancy.private_chat_grants set until = now() where tenant_id = $1 and platform_user_id = '91'`,
    [other.tenantId],
  );
  const room = await call('POST', path, { ...wanted, botId: foreignBotId }, other.admin);
  expect(room.status).toBe(201);
  expect((await call('GET', path, undefined, acme.admin)).body.length).toBeGreaterThan(0);
});

test('a person has no negative number, but an author who writes as a chat can be muted by its number', async () => {
  const wanted = { platform: 'messenger', platformUserId: '-1001' };
  expect((await call('POST', '/private-chat-grants', { ...wanted, botId })).status).toBe(400);
  expect((await call('POST', '/moderation', wanted)).status).toBe(201);
});
