import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBot } from '../../tenancy-services.ts';
import { callOk, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;
let botId: string;

beforeAll(async () => {
  platform = await openPlatform();
  botId = await createBot(platform, platform.acme);
});
afterAll(() => platform?.close());

const base = '/api/authorization-edges';
const call = (path: string, body: unknown) =>
  platform.tenancy.call('POST', path, { as: platform.acme.admin, body });
const tie = (subject: string, relation: string, object: string) =>
  callOk(platform.tenancy, 'POST', base, { as: platform.acme.admin, body: { subject, relation, object } });
const check = (body: object) => call(`${base}/check`, body);
const acme = () => `tenant:${platform.acme.tenantId}`;
const shortOf = (path: { subject: string; relation: string; object: string }[]) =>
  path.map(({ subject, relation, object }) => `${subject} ${relation} ${object}`);

test('the way that leads there is shown edge by edge, with the owner of the bot at its end', async () => {
  const { userId } = await newPerson(platform);
  const subject = `user:${userId}`;
  expect((await check({ subject, relation: 'member', object: acme() })).body).toEqual({
    allowed: false,
    reason: 'no edge',
  });
  await tie(subject, 'member', 'group:night');
  await tie('group:night#member', 'member', 'group:support');
  await tie('group:support#member', 'admin', acme());
  const answer = await check({ subject, relation: 'admin', object: `bot:${botId}` });
  expect([answer.status, answer.body.allowed]).toEqual([200, true]);
  expect(shortOf(answer.body.path)).toEqual([
    `${subject} member group:night`,
    'group:night#member member group:support',
    `group:support#member admin ${acme()}`,
    `${acme()} owner bot:${botId}`,
  ]);
  const ofGroup = await check({ subject, relation: 'member', object: 'group:support' });
  expect(shortOf(ofGroup.body.path)).toHaveLength(2);
});

test('a relationship to one bot is shown, and does not extend to the tenant or another bot', async () => {
  const { userId } = await newPerson(platform);
  const [subject, second] = [`user:${userId}`, await createBot(platform, platform.acme)];
  await tie(subject, 'member', `bot:${botId}`);
  const allowed = async (object: string, relation: string) =>
    (await check({ subject, relation, object })).body.allowed;
  expect(await allowed(`bot:${botId}`, 'member')).toBe(true);
  expect(await allowed(`bot:${botId}`, 'admin')).toBe(false);
  expect(await allowed(`bot:${second}`, 'member')).toBe(false);
  expect(await allowed(acme(), 'member')).toBe(false);
});

test('the policy that refuses is named, for the request that is imagined', async () => {
  const { tenancy, acme: people } = platform;
  const policy = await callOk(tenancy, 'POST', '/api/auth/policies', {
    as: people.admin,
    body: {
      name: 'keys from the office',
      text: `forbid(principal, action == Action::"manage", resource)
             when { context.router == "keys" && !context.address.isInRange(ip("192.0.2.0/24")) };`,
    },
  });
  const subject = `user:${await userIdOf(platform, people.admin)}`;
  const ask = (context: object, action = 'manage') => check({ subject, action, object: acme(), context });
  const refused = await ask({ router: 'keys', address: '198.51.100.7' });
  expect(refused.body).toMatchObject({
    allowed: false,
    reason: 'the policy "keys from the office" refuses',
    policy: 'keys from the office',
  });
  expect(shortOf(refused.body.path)).toEqual([`${subject} admin ${acme()}`]);
  expect((await ask({ router: 'keys', address: '192.0.2.5' })).body.allowed).toBe(true);
  expect((await ask({ router: 'bots', address: '198.51.100.7' })).body.allowed).toBe(true);
  expect((await ask({ router: 'keys', address: '198.51.100.7' }, 'read')).body.allowed).toBe(true);
  expect((await ask({ router: 'auth', address: '198.51.100.7' })).body.allowed).toBe(true);
  await callOk(tenancy, 'DELETE', `/api/auth/policies/${policy.policyId}`, { as: people.admin });
});

test('an object of another tenant is 404 like a missing one, and a person of another tenant like an unknown one', async () => {
  const foreignBot = await createBot(platform, platform.other);
  const subject = `user:${await userIdOf(platform, platform.acme.admin)}`;
  for (const [theirs, none] of [
    [`tenant:${platform.other.tenantId}`, `tenant:${randomUUID()}`],
    [`bot:${foreignBot}`, `bot:${randomUUID()}`],
  ]) {
    const [foreign, missing] = [
      await check({ subject, relation: 'member', object: theirs }),
      await check({ subject, relation: 'member', object: none }),
    ];
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  }
  const stranger = await userIdOf(platform, platform.other.admin);
  const [outsider, nobody] = [
    await check({ subject: `user:${stranger}`, relation: 'member', object: acme() }),
    await check({ subject: `user:${randomUUID()}`, relation: 'member', object: acme() }),
  ];
  expect([outsider.status, outsider.text]).toEqual([200, nobody.text]);
});

test.each([
  ['a group', { subject: 'group:a#member', relation: 'member' }, 'subject'],
  ['neither relation nor action', { subject: `user:${randomUUID()}` }, 'relation'],
  ['both', { subject: `user:${randomUUID()}`, relation: 'member', action: 'read' }, 'relation'],
  ['an unknown action', { subject: `user:${randomUUID()}`, action: 'sendMessage' }, 'action'],
  [
    'an address that is none',
    { subject: `user:${randomUUID()}`, action: 'read', context: { address: '1.2.3' } },
    'context.address',
  ],
])('%s is 400 with the field', async (_what, body, path) => {
  const answer = await check({ object: acme(), ...body });
  expect(answer.status).toBe(400);
  expect(answer.body.issues[0].path).toBe(path);
});
