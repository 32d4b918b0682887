import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeEdges } from '../../graph.ts';
import { createBot } from '../../tenancy-services.ts';
import {
  callOk,
  newPerson,
  openPlatform,
  type Person,
  type Platform,
  startKeys,
} from '../../whole-platform.ts';

let platform: Platform;
let instances: TestService[];

beforeAll(async () => {
  platform = await openPlatform();
  instances = await Promise.all([startKeys(platform), startKeys(platform)]);
});
afterAll(() => platform?.close());

const tie = (subject: string, relation: string, object: string) =>
  callOk(platform.tenancy, 'POST', '/api/authorization-edges', {
    as: platform.acme.admin,
    body: { subject, relation, object },
  });
const untie = (edgeId: string) =>
  callOk(platform.tenancy, 'DELETE', `/api/authorization-edges/${edgeId}`, { as: platform.acme.admin });
const acme = () => `tenant:${platform.acme.tenantId}`;
const keysOf = ({ as }: Person) =>
  Promise.all(
    instances.map(
      async (keys) => (await keys.call('GET', `/api/keys/${platform.acme.tenantId}`, { as })).status,
    ),
  );

test.each([
  ['out of the group', (edges: string[]) => edges[0]],
  ['out of a group in between', (edges: string[]) => edges[1]],
  ['with the whole group', (edges: string[]) => edges[2]],
])(
  'a person who is removed %s is refused by both instances of another service at the announcement',
  async (_name, pick) => {
    const person = await newPerson(platform);
    const groups = ['inner', 'outer'].map((name) => `${name}_${person.userId}`);
    const made = [
      await tie(`user:${person.userId}`, 'member', `group:${groups[0]}`),
      await tie(`group:${groups[0]}#member`, 'member', `group:${groups[1]}`),
      await tie(`group:${groups[1]}#member`, 'admin', acme()),
    ];
    expect(await keysOf(person)).toEqual([200, 200]);
    const { body } = await platform.tenancy.call('GET', '/api/current-user', { as: person.as });
    expect(body.tenants).toEqual([{ tenantId: platform.acme.tenantId, role: 'admin' }]);
    await untie(pick(made.map(({ edgeId }) => edgeId)) ?? '');
    await eventually(
      'both refuse',
      async () => (await keysOf(person)).every((status) => status === 403),
      beforeItExpires,
    );
  },
);

test('P11: a person who reaches a tenant through a group is refused at its deletion', async () => {
  const { tenancy, acme: people } = platform;
  const person = await newPerson(platform);
  const body = { name: 'Doomed' };
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', { as: people.admin, body });
  await writeEdges(platform.harness, tenantId, [
    [`user:${person.userId}`, 'member', 'group:crew'],
    ['group:crew#member', 'admin', `tenant:${tenantId}`],
  ]);
  const statuses = () =>
    Promise.all(
      instances.map(
        async ({ call }) => (await call('GET', `/api/keys/${tenantId}`, { as: person.as })).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  await callOk(tenancy, 'DELETE', `/api/bots/tenants/${tenantId}`, { as: people.admin });
  await eventually(
    'both refuse',
    async () => (await statuses()).every((status) => status === 403),
    beforeItExpires,
  );
});

test('a new relationship applies immediately in a process that has refused before', async () => {
  const person = await newPerson(platform);
  expect(await keysOf(person)).toEqual([403, 403]);
  await tie(`user:${person.userId}`, 'member', `group:late_${person.userId}`);
  expect(await keysOf(person)).toEqual([403, 403]);
  await tie(`group:late_${person.userId}#member`, 'admin', acme());
  expect(await keysOf(person)).toEqual([200, 200]);
});

test('a relationship to one bot grants access to that bot at its level, and to no other', async () => {
  const { tenancy, acme: people, other } = platform;
  const { tenantId } = people;
  const [botId, second, foreign] = [
    await createBot(platform, people),
    await createBot(platform, people),
    await createBot(platform, other),
  ];
  const reader = await newPerson(platform);
  const keeper = await newPerson(platform);
  await tie(`user:${reader.userId}`, 'member', `bot:${botId}`);
  await tie(`user:${keeper.userId}`, 'member', 'group:keepers');
  await tie('group:keepers#member', 'admin', `bot:${botId}`);
  const status = async ({ as }: Person, method: string, path: string) =>
    (await tenancy.call(method, path, { as, ...(method === 'GET' ? {} : { body: {} }) })).status;
  for (const person of [reader, keeper]) {
    const manages = person === keeper;
    const cells = [
      ['GET', `/api/bots/${tenantId}/${botId}`, 200],
      ['GET', `/api/bots/${tenantId}/${botId}/integrations`, 200],
      ['PUT', `/api/bots/${tenantId}/${botId}`, manages ? 200 : 403],
      ['POST', `/api/bots/${tenantId}/${botId}/integrations`, manages ? 400 : 403],
      ['GET', `/api/bots/${tenantId}/${second}`, 403],
      ['PUT', `/api/bots/${tenantId}/${second}`, 403],
      ['DELETE', `/api/bots/${tenantId}/${second}`, 403],
      ['POST', `/api/bots/${tenantId}/bots`, 403],
      ['GET', `/api/bots/tenants/${tenantId}`, 403],
      ['GET', `/api/bots/tenants/${tenantId}/members`, 403],
      ['GET', `/api/bots/${other.tenantId}/${botId}`, 403],
      ['GET', `/api/bots/${other.tenantId}/${foreign}`, 403],
      ['GET', '/api/bots', 403],
      ['GET', '/api/users', 403],
      ['GET', '/api/authorization-edges', 400],
    ] as const;
    for (const [method, path, expected] of cells)
      expect([method, path, await status(person, method, path)]).toEqual([method, path, expected]);
    expect(await keysOf(person)).toEqual([403, 403]);
    const { body } = await tenancy.call('GET', '/api/current-user', { as: person.as });
    expect([body.tenants, body.activeTenantId]).toEqual([[], null]);
  }
  expect(await status(keeper, 'DELETE', `/api/bots/${tenantId}/${botId}`)).toBe(204);
  expect(await status(keeper, 'GET', `/api/bots/${tenantId}/${botId}`)).toBe(403);
});

test('a tie to a bot gives a member of its tenant more there, and elsewhere nothing', async () => {
  const { tenancy, acme: people } = platform;
  const [botId, second] = [await createBot(platform, people), await createBot(platform, people)];
  const person = await newPerson(platform);
  await tie(`user:${person.userId}`, 'member', acme());
  await tie(`user:${person.userId}`, 'admin', `bot:${botId}`);
  const put = async (id: string) =>
    (await tenancy.call('PUT', `/api/bots/${people.tenantId}/${id}`, { as: person.as, body: {} })).status;
  expect([await put(botId), await put(second)]).toEqual([200, 403]);
});
