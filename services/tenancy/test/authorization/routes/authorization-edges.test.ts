import { randomUUID } from 'node:crypto';
import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBot } from '../../tenancy-services.ts';
import {
  emitted,
  newPerson,
  openPlatform,
  type Person,
  type Platform,
  userIdOf,
} from '../../whole-platform.ts';

let platform: Platform;
let person: Person;
let botId: string;
let foreignBotId: string;

beforeAll(async () => {
  platform = await openPlatform();
  person = await newPerson(platform);
  botId = await createBot(platform, platform.acme);
  foreignBotId = await createBot(platform, platform.other);
});
afterAll(() => platform?.close());

const base = '/api/authorization-edges';
const call = (method: string, path = '', body?: unknown) =>
  platform.tenancy.call(method, `${base}${path}`, { as: platform.acme.admin, body });
const tie = (subject: string, relation: string, object: string) =>
  call('POST', '', { subject, relation, object });
const acme = () => `tenant:${platform.acme.tenantId}`;

test('an edge of a person to the tenant is a membership, under the same name until it is removed', async () => {
  const { tenancy } = platform;
  const { as, userId, idpUserId } = await newPerson(platform);
  const made = await tie(`user:${userId}`, 'member', acme());
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    edgeId: expect.any(String),
    subject: `user:${userId}`,
    relation: 'member',
    object: acme(),
    createdAt: expect.stringMatching(/Z$/),
  });
  const reached = await tenancy.call('GET', '/api/current-user', { as });
  expect(reached.body.tenants).toEqual([{ tenantId: platform.acme.tenantId, role: 'member' }]);
  expect((await call('GET', `/${made.body.edgeId}`)).body).toEqual(made.body);
  expect((await tie(`user:${userId}`, 'member', acme())).status).toBe(409);
  expect((await tie(`user:${userId}`, 'admin', acme())).status).toBe(409);
  expect((await call('DELETE', `/${made.body.edgeId}`)).status).toBe(204);
  expect((await call('DELETE', `/${made.body.edgeId}`)).status).toBe(404);
  expect((await tenancy.call('GET', '/api/current-user', { as })).body.tenants).toEqual([]);
  const events = (await emitted(platform, accessChanged)).filter((event) => event.idpUserId === idpUserId);
  expect(events).toHaveLength(2);
});

test('the last admin cannot be taken away as an edge either, not even where a group administers', async () => {
  const edges = (await call('GET', `?object=${acme()}&relation=admin`)).body;
  expect(edges).toHaveLength(1);
  await tie('group:chiefs#member', 'admin', acme());
  const answer = await call('DELETE', `/${edges[0].edgeId}`);
  expect(answer.status).toBe(409);
});

test('edges to groups and bots are made, listed, read and removed, and each change is announced', async () => {
  const before = (await emitted(platform, authorizationChanged)).length;
  const made = [];
  for (const [subject, relation, object] of [
    [`user:${person.userId}`, 'member', 'group:crew'],
    ['group:crew#member', 'member', 'group:all_hands-1'],
    ['group:crew#member', 'admin', `bot:${botId}`],
    [`${acme()}#admin`, 'member', 'group:crew'],
  ] as const) {
    const answer = await tie(subject, relation, object);
    expect([subject, answer.status, answer.body]).toMatchObject([
      subject,
      201,
      { subject, relation, object },
    ]);
    made.push(answer.body);
    expect((await tie(subject, relation, object)).status).toBe(409);
  }
  expect((await call('GET', `?subject=group:crew%23member`)).body).toEqual([made[2], made[1]]);
  expect((await call('GET', `?object=group:crew&relation=member`)).body).toEqual([made[3], made[0]]);
  for (const edge of made) {
    expect((await call('GET', `/${edge.edgeId}`)).body).toEqual(edge);
    expect((await call('DELETE', `/${edge.edgeId}`)).status).toBe(204);
    expect((await call('GET', `/${edge.edgeId}`)).status).toBe(404);
  }
  expect((await emitted(platform, authorizationChanged)).length - before).toBe(8);
});

test('the owner of a bot is an edge that follows from the bot: shown on request, and never removed', async () => {
  const owner = { edgeId: botId, subject: acme(), relation: 'owner', object: `bot:${botId}` };
  expect((await call('GET', `?object=bot:${botId}`)).body).toEqual([expect.objectContaining(owner)]);
  expect((await call('GET', '?relation=owner')).body).toEqual([expect.objectContaining(owner)]);
  expect((await call('GET')).body.map((edge: { relation: string }) => edge.relation)).not.toContain('owner');
  expect((await call('GET', `/${botId}`)).body).toMatchObject(owner);
  expect((await call('DELETE', `/${botId}`)).status).toBe(409);
  expect((await tie(acme(), 'owner', `bot:${botId}`)).status).toBe(400);
});

test('a list of all kinds has pages, newest first', async () => {
  for (let index = 0; index < 5; index += 1)
    await tie(`user:${person.userId}`, 'member', `group:page${index}`);
  const seen: string[] = [];
  for (let path: string | undefined = '?limit=2'; path; ) {
    const { body, headers } = await call('GET', path);
    seen.push(...body.map((edge: { edgeId: string }) => edge.edgeId));
    path = /\?.+(?=>; rel="next")/.exec(headers.get('link') ?? '')?.[0];
  }
  expect(seen).toEqual(seen.toSorted().reverse());
  expect(seen.length).toBe((await call('GET', '?limit=500')).body.length);
});

describe('refused', () => {
  test.each([
    ['user', 'member', 'group:a', 'subject'],
    ['user:1', 'member', 'group:a', 'subject'],
    [`user:${randomUUID()}#member`, 'member', 'group:a', 'subject'],
    ['group:a', 'member', 'group:b', 'subject'],
    ['group:a#admin', 'member', 'group:b', 'subject'],
    ['group:\u202Ea#member', 'member', 'group:b', 'subject'],
    [`group:${'a'.repeat(65)}#member`, 'member', 'group:b', 'subject'],
    ['group:a#member\n', 'member', 'group:b', 'subject'],
    ['group:superadmin#member', 'member', 'group:b', 'subject'],
    ['group:a#member', 'member', 'group:Tenants', 'object'],
    ['group:a#member', 'member', 'group:', 'object'],
    ['group:a#member', 'member', 'group:b c', 'object'],
    ['group:a#member', 'member', `user:${randomUUID()}`, 'object'],
    ['group:a#member', 'member', 'bot:superadmin', 'object'],
    ['group:a#member', 'member', `group:${'x'.repeat(10_000)}`, 'object'],
    ['group:a#member', 'admin', 'group:b', 'relation'],
    ['group:a#member', 'owner', 'group:b', 'relation'],
    ['group:a#member', '', 'group:b', 'relation'],
  ])('%j %s %s is 400 with the field', async (subject, relation, object, path) => {
    const answer = await tie(subject, relation, object);
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
  });

  test('an object of another tenant looks like a missing one', async () => {
    const { other } = platform;
    const subject = 'group:a#member';
    for (const [mine, none] of [
      [
        () => tie(subject, 'member', `tenant:${other.tenantId}`),
        () => tie(subject, 'member', `tenant:${randomUUID()}`),
      ],
      [
        () => tie(subject, 'member', `bot:${foreignBotId}`),
        () => tie(subject, 'member', `bot:${randomUUID()}`),
      ],
      [
        () => tie(`tenant:${other.tenantId}#member`, 'member', 'group:a'),
        () => tie(`tenant:${randomUUID()}#member`, 'member', 'group:a'),
      ],
    ] as const) {
      const [foreign, missing] = [await mine(), await none()];
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    }
    const theirs = await platform.tenancy.call('GET', base, { as: other.admin });
    const { edgeId } = theirs.body[0];
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/${edgeId}`)).status).toBe(404);
    expect((await call('GET', `?object=bot:${foreignBotId}`)).body).toEqual([]);
    expect((await call('GET', '?object=group:a%00b')).status).toBe(400);
  });

  test('an unknown or deleted person is 404', async () => {
    const gone = await newPerson(platform);
    await platform.harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [
      gone.userId,
    ]);
    for (const userId of [randomUUID(), gone.userId])
      for (const object of ['group:a', acme()])
        expect((await tie(`user:${userId}`, 'member', object)).status).toBe(404);
  });

  test('a member and a stranger neither see nor change edges', async () => {
    const { tenancy, acme: people } = platform;
    const subject = `user:${await userIdOf(platform, people.member)}`;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', { subject, relation: 'admin', object: acme() }],
      ['POST', '/check', { subject, relation: 'admin', object: acme() }],
    ] as const) {
      expect((await tenancy.call(method, `${base}${path}`, { as: people.member, body })).status).toBe(403);
      expect((await tenancy.call(method, `${base}${path}`, { as: people.stranger, body })).status).toBe(400);
    }
  });
});

test('one of ten equal simultaneous edges is created', async () => {
  const make = () => tie(`user:${person.userId}`, 'member', 'group:rush');
  const statuses = (await Promise.all(Array.from({ length: 10 }, make))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, ...Array(9).fill(409)]);
});

test('a deleted bot takes its edges with it', async () => {
  const { tenancy, acme: people } = platform;
  const doomed = await createBot(platform, people);
  const { body } = await tie('group:crew#member', 'admin', `bot:${doomed}`);
  await tenancy.call('DELETE', `/api/bots/${people.tenantId}/${doomed}`, { as: people.admin });
  expect((await call('GET', `/${body.edgeId}`)).status).toBe(404);
});
