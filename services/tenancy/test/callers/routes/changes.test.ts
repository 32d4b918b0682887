import { randomUUID } from 'node:crypto';
import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { Identity } from '@botyard/contracts/identity';
import { maxStreamsOfCaller } from '@botyard/shared/http/open-streams';
import { EventReader } from '@botyard/testing/event-reader';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { anonymous, user } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTenancyServices, startTenancy, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
const readers: EventReader[] = [];
const path = '/api/current-user/changes';

beforeAll(async () => {
  services = await openTenancyServices();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => services?.close());

async function listen(as: Identity, service = services.tenancy): Promise<EventReader> {
  const reader = await EventReader.open(service, { as, path });
  readers.push(reader);
  return reader;
}

const call = (as: Identity, headers = {}) => services.tenancy.call('GET', path, { as, headers });
const whoIs = async (as: Identity) => (await services.tenancy.call('GET', '/api/current-user', { as })).body;
const dataOf = ({ heard }: EventReader) => heard.map(({ data }) => data);

/** Somebody new. */
async function newPerson(): Promise<{ as: Identity; userId: string; idpUserId: string }> {
  const as = user(`user_${randomUUID()}`);
  const { userId, idpUserId } = await whoIs(as);
  return { as, userId, idpUserId };
}

const members = (userId = '') =>
  `/api/bots/tenants/${services.acme.tenantId}/members${userId && `/${userId}`}`;
const asAdmin = (method: string, address: string, body?: unknown) =>
  services.tenancy.call(method, address, { as: services.acme.admin, body });

test("a person's stream starts with their reach, then sends each tenant and role that is given or taken", async () => {
  const { as, userId } = await newPerson();
  const reader = await listen(as);
  await reader.first('current_user.changed');
  expect(dataOf(reader)).toEqual([await whoIs(as)]);
  const steps = [
    () => asAdmin('POST', members(), { userId, role: 'member' }),
    () => asAdmin('PUT', members(userId), { role: 'admin' }),
    () => asAdmin('DELETE', members(userId)),
  ];
  for (const [index, step] of steps.entries()) {
    expect((await step()).status).toBeLessThan(300);
    await eventually('it is sent', () => reader.heard.length === index + 2, beforeItExpires);
    expect(dataOf(reader).at(-1)).toEqual(await whoIs(as));
  }
  const roles = dataOf(reader).map(({ tenants }) => tenants.map(({ role }: { role: string }) => role));
  expect(roles).toEqual([[], ['member'], ['admin'], []]);
  expect(reader.isOver).toBe(false);
});

test("a person gets no event about other people's changes, in their own tenant or another one", async () => {
  const { as, userId, idpUserId } = await newPerson();
  const [colleague, neighbour] = [await listen(services.acme.member), await listen(services.other.admin)];
  const reader = await listen(as);
  await Promise.all([reader, colleague, neighbour].map((one) => one.first('current_user.changed')));
  await asAdmin('POST', members(), { userId, role: 'member' });
  await eventually('it is sent', () => reader.heard.length === 2);
  // By these, everybody has been looked at again.
  const { harness, acme, other } = services;
  await harness.publish(accessChanged, { idpUserId });
  for (const { tenantId } of [acme, other]) await harness.publish(authorizationChanged, { tenantId });
  await asAdmin('DELETE', members(userId));
  await eventually('it is sent', () => reader.heard.length === 3);
  for (const one of [colleague, neighbour]) {
    expect(one.heard).toHaveLength(1);
    expect(JSON.stringify(one.heard)).not.toContain(userId);
  }
});

test('the stream of an account that is closed ends', async () => {
  const { as, userId, idpUserId } = await newPerson();
  const reader = await listen(as);
  await reader.first('current_user.changed');
  await services.harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [userId]);
  await services.harness.publish(accessChanged, { idpUserId });
  await reader.over();
  expect(reader.heard).toHaveLength(1);
  expect((await call(as)).status).toBe(401);
});

test('many simultaneous changes are sent as the final state', async () => {
  const { as, userId, idpUserId } = await newPerson();
  const reader = await listen(as);
  await asAdmin('POST', members(), { userId, role: 'member' });
  await Promise.all(Array.from({ length: 50 }, () => services.harness.publish(accessChanged, { idpUserId })));
  await asAdmin('PUT', members(userId), { role: 'admin' });
  await eventually('it is sent', () => dataOf(reader).at(-1)?.tenants[0]?.role === 'admin');
  const sent = dataOf(reader).map((one) => JSON.stringify(one));
  expect(new Set(sent).size).toBe(sent.length);
});

test('a person has at most the allowed number of streams, until one is closed, and others still get theirs', async () => {
  const { as } = await newPerson();
  const { as: another } = await newPerson();
  const mine = await Promise.all(Array.from({ length: maxStreamsOfCaller }, () => listen(as)));
  const refused = await call(as);
  expect(refused.status).toBe(503);
  expect(refused.body.error).toContain(`${maxStreamsOfCaller} event streams`);
  await listen(another);
  mine[0]!.close();
  await eventually('there is room again', async () => {
    const answer = await services.tenancy.call('HEAD', path, { as });
    return answer.status === 200;
  });
});

test('only signed-in people may open it', async () => {
  expect((await call(anonymous)).status).toBe(401);
});

test("a process that ends closes its listeners' streams immediately", async () => {
  const other = await startTenancy(services);
  const reader = await listen(services.acme.admin, other);
  await other.stop();
  await reader.over();
});
