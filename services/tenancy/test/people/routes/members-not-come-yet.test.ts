import { randomUUID } from 'node:crypto';
import type { TestService } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callOk,
  linkAccount,
  newPerson,
  openPlatform,
  type Platform,
  startUsage,
} from '../../whole-platform.ts';

let platform: Platform;
let usage: TestService;

beforeAll(async () => {
  platform = await openPlatform();
  usage = await startUsage(platform);
});
afterAll(() => platform?.close());

const membersPath = () => `/api/bots/tenants/${platform.acme.tenantId}/members`;
const asAdmin = (method: string, path: string, body?: unknown) =>
  platform.tenancy.call(method, path, { as: platform.acme.admin, body });

/** Somebody with a name, an address and a tenant of their own, whom acme's admin has added. */
async function addedPerson() {
  const { tenancy } = platform;
  const as = user(`user_${randomUUID()}`, {
    email: `p-${randomUUID()}@people.example`,
    name: 'Paula Private',
  });
  const { userId, idpUserId, email } = await callOk(tenancy, 'GET', '/api/current-user', { as });
  const { tenantId: ownTenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', {
    as,
    body: { name: 'Own' },
  });
  const added = await asAdmin('POST', membersPath(), { userId, role: 'admin' });
  expect(added.status).toBe(201);
  return { as, userId, idpUserId, email, ownTenantId, added: added.body };
}

const seenByAdmin = async (userId: string) => {
  const list = await asAdmin('GET', `${membersPath()}?limit=500`);
  const changed = await asAdmin('PUT', `${membersPath()}/${userId}`, { role: 'admin' });
  const people = await asAdmin('GET', '/api/users?limit=500');
  const one = await asAdmin('GET', `/api/users/${userId}`);
  const isThem = (row: { userId: string }) => row.userId === userId;
  return [list.body.find(isThem), changed.body, people.body.find(isThem), one.body].map(
    ({ email, name }) => ({
      email,
      name,
    }),
  );
};

const defaultTenantOf = async (as: Parameters<typeof callOk>[3]['as']) =>
  (await callOk(platform.tenancy, 'GET', '/api/current-user', { as })).activeTenantId;

test('I-16: an admin who adds a person learns neither name nor address until the person signs in to the tenant', async () => {
  const { as, userId, email, added } = await addedPerson();
  expect(added).toMatchObject({ userId, email: null, name: null, firstVisitAt: null });
  expect(await seenByAdmin(userId)).toEqual(Array(4).fill({ email: null, name: null }));
  await callOk(platform.tenancy, 'GET', `/api/bots/tenants/${platform.acme.tenantId}`, { as });
  expect(await seenByAdmin(userId)).toEqual(Array(4).fill({ email, name: 'Paula Private' }));
  const list = await asAdmin('GET', `${membersPath()}?limit=500`);
  expect(list.body.find((row: { userId: string }) => row.userId === userId).firstVisitAt).toMatch(
    /^\d{4}-.*Z$/,
  );
});

test('a person who is known only to the identity provider is not shown either', async () => {
  const { id } = platform.idp.addUser({ email: 'unseen@example.com', firstName: 'Un', lastName: 'Seen' });
  const added = await asAdmin('POST', membersPath(), { idpUserId: id, role: 'admin' });
  expect(added.body).toMatchObject({ idpUserId: id, email: null, name: null });
  expect(JSON.stringify((await asAdmin('GET', '/api/users?limit=500')).body)).not.toContain(
    'unseen@example.com',
  );
});

test.each(['select', 'another service'])('a person who arrives by %s is shown', async (way) => {
  const { as, userId, email } = await addedPerson();
  const { tenantId } = platform.acme;
  if (way === 'select')
    await callOk(platform.tenancy, 'POST', '/api/tenant/select', { as, body: { tenantId }, status: 200 });
  else await callOk(usage, 'GET', `/api/usage/${tenantId}/check`, { as });
  expect(await seenByAdmin(userId)).toEqual(Array(4).fill({ email, name: 'Paula Private' }));
});

test('a request that names a tenant counts, although the caller was looked up before', async () => {
  const { as, userId, ownTenantId } = await addedPerson();
  await callOk(usage, 'GET', `/api/usage/${ownTenantId}/check`, { as });
  await callOk(platform.tenancy, 'GET', `/api/bots/tenants/${ownTenantId}`, { as });
  expect((await seenByAdmin(userId))[0]?.email).toBeNull();
  await callOk(usage, 'GET', `/api/usage/${platform.acme.tenantId}/check`, { as });
  expect((await seenByAdmin(userId))[0]?.email).not.toBeNull();
});

test('I-16: the default tenant of a person stays until they visit the one that they were added to', async () => {
  const { as, ownTenantId } = await addedPerson();
  expect(await defaultTenantOf(as)).toBe(ownTenantId);
  expect((await platform.tenancy.call('GET', '/api/apps', { as })).status).not.toBe(400);
  await callOk(platform.tenancy, 'GET', `/api/bots/tenants/${platform.acme.tenantId}`, { as });
  expect(await defaultTenantOf(as)).toBeNull();
});

test('a group of another tenant does not change it either', async () => {
  const { as, userId, ownTenantId } = await addedPerson();
  await asAdmin('DELETE', `${membersPath()}/${userId}`);
  const { tenantId } = platform.acme;
  const edges = [
    { subject: `user:${userId}`, relation: 'member', object: 'group:everybody' },
    { subject: 'group:everybody#member', relation: 'member', object: `tenant:${tenantId}` },
  ];
  for (const body of edges)
    expect(
      (await platform.tenancy.call('POST', '/api/authorization-edges', { as: platform.acme.admin, body }))
        .status,
    ).toBe(201);
  const { tenants, activeTenantId } = await callOk(platform.tenancy, 'GET', '/api/current-user', { as });
  expect(tenants).toHaveLength(2);
  expect(activeTenantId).toBe(ownTenantId);
});

test('a person who has visited no tenant acts in their only one by default, and that is not a visit', async () => {
  const { as, userId } = await newPerson(platform);
  await asAdmin('POST', membersPath(), { userId, role: 'member' });
  expect(await defaultTenantOf(as)).toBe(platform.acme.tenantId);
  await platform.tenancy.call('GET', '/api/platforms', { as });
  const list = await asAdmin('GET', `${membersPath()}?limit=500`);
  expect(list.body.find((row: { userId: string }) => row.userId === userId).firstVisitAt).toBeNull();
});

test('a person who was removed and added again is hidden until the next visit', async () => {
  const { as, userId } = await addedPerson();
  await callOk(platform.tenancy, 'GET', `/api/bots/tenants/${platform.acme.tenantId}`, { as });
  await asAdmin('DELETE', `${membersPath()}/${userId}`);
  await asAdmin('POST', membersPath(), { userId, role: 'member' });
  expect((await seenByAdmin(userId))[0]).toEqual({ email: null, name: null });
});

test('a person added by an edge is not shown either, and the first admin of a tenant is where it is the caller', async () => {
  const { userId } = await addedPerson();
  await asAdmin('DELETE', `${membersPath()}/${userId}`);
  const body = { subject: `user:${userId}`, relation: 'member', object: `tenant:${platform.acme.tenantId}` };
  await callOk(platform.tenancy, 'POST', '/api/authorization-edges', { as: platform.acme.admin, body });
  expect((await seenByAdmin(userId))[0]).toEqual({ email: null, name: null });
  const own = await asAdmin('GET', `${membersPath()}?limit=500`);
  expect(own.body.at(-1).firstVisitAt).toMatch(/Z$/);
});

test('a first admin named by another person is shown once they sign in', async () => {
  const { tenancy } = platform;
  const as = user(`user_${randomUUID()}`, { email: 'named@people.example', name: 'Named' });
  const { userId, idpUserId } = await callOk(tenancy, 'GET', '/api/current-user', { as });
  const maker = user(`user_${randomUUID()}`);
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', {
    as: maker,
    body: { name: 'Theirs', initialAdminIdpUserId: idpUserId },
  });
  const membership = () =>
    platform.harness.asOwner<{ visited_at: Date | null }>(
      'select visited_at from tenancy.memberships where tenant_id = $1 and user_id = $2',
      [tenantId, userId],
    );
  expect(await membership()).toEqual([{ visited_at: null }]);
  await callOk(tenancy, 'GET', `/api/bots/tenants/${tenantId}`, { as });
  expect((await membership())[0]?.visited_at).toBeInstanceOf(Date);
});

test('accounts that a person has linked are announced once they sign in, and are not erased before', async () => {
  const { as, userId } = await addedPerson();
  const account = String(Math.floor(Math.random() * 1e12));
  await linkAccount(platform, userId, account);
  const links = async () =>
    (await asAdmin('GET', '/api/identity-links?limit=500')).body.filter(
      (link: { userId: string }) => link.userId === userId,
    );
  expect(await links()).toEqual([]);
  const erased = await asAdmin('POST', '/api/admin/gdpr/requests', { userId });
  expect([422, erased.body.error]).toEqual([
    erased.status,
    expect.stringContaining('has not come to the tenant yet'),
  ]);
  await callOk(platform.tenancy, 'GET', `/api/bots/tenants/${platform.acme.tenantId}`, { as });
  expect(await links()).toHaveLength(1);
});

test('an operator sees everybody', async () => {
  const { userId, email } = await addedPerson();
  const { operator } = platform.acme;
  const one = await callOk(platform.tenancy, 'GET', `/api/users/${userId}`, { as: operator });
  const members = await callOk(platform.tenancy, 'GET', `${membersPath()}?limit=500`, { as: operator });
  expect([one.email, members.find((row: { userId: string }) => row.userId === userId).email]).toEqual([
    email,
    email,
  ]);
});
