import { randomUUID } from 'node:crypto';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import type { ServiceHarness, TestService } from '@botyard/testing/service-harness';
import { anonymous, user } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWithFakeIdp, startTenancy } from '../../idp-services.ts';

let harness: ServiceHarness;
let idp: FakeIdp;
let tenancy: TestService;
let anna: string;
let acme: string;

beforeAll(async () => {
  ({ harness, idp } = await openWithFakeIdp());
  tenancy = await startTenancy(harness, { idp });
});

afterAll(async () => {
  await harness?.close();
  await idp?.close();
});

beforeEach(() => {
  anna = `user_${randomUUID().replaceAll('-', '')}`;
  acme = `org_${randomUUID().replaceAll('-', '')}`;
  idp.addUser({ id: anna, email: `${anna}@example.com`, firstName: 'Anna' });
  idp.addOrganization({ id: acme, name: 'Acme' });
});

afterEach(() => idp.clearFaults());

const sync = (idpUserId = anna, org?: { id: string; role: string }, service = tenancy) =>
  service.call('POST', '/api/current-user/sync', { as: user(idpUserId, org ? { org } : {}) });
const rolesOf = (answer: { body: { tenants: { role: string }[] } }) =>
  answer.body.tenants.map(({ role }) => role);

test('brings the person and their memberships from the provider, and answers who they are now', async () => {
  idp.addMembership({ userId: anna, orgId: acme, role: 'org:admin' });
  const answer = await sync(anna, { id: acme, role: 'org:admin' });
  expect(answer.status).toBe(200);
  const [reached] = answer.body.tenants;
  expect(answer.body).toMatchObject({
    idpUserId: anna,
    email: `${anna}@example.com`,
    isOperator: false,
    activeTenantId: reached.tenantId,
    tenants: [{ role: 'admin' }],
  });
  const { body } = await tenancy.call('GET', '/api/current-user', { as: user(anna) });
  expect(body.tenants).toEqual(answer.body.tenants);
});

test("the organization of the session's token counts for the answer, as it does everywhere", async () => {
  const other = idp.addOrganization().id;
  for (const orgId of [acme, other]) idp.addMembership({ userId: anna, orgId, role: 'org:admin' });
  const [one, two] = [
    await sync(anna, { id: acme, role: 'org:admin' }),
    await sync(anna, { id: other, role: 'org:admin' }),
  ];
  expect(one.body.tenants).toHaveLength(2);
  expect(one.body.activeTenantId).not.toBeNull();
  expect(two.body.activeTenantId).not.toBe(one.body.activeTenantId);
  expect((await sync()).body.activeTenantId).toBeNull();
});

test('a change without an event is repaired: roles, removals, and a return', async () => {
  const boss = idp.addUser().id;
  idp.addMembership({ userId: boss, orgId: acme, role: 'org:admin' });
  idp.addMembership({ userId: anna, orgId: acme, role: 'org:member' });
  await sync(boss);
  expect(rolesOf(await sync())).toEqual(['member']);
  const membership = idp.memberships.find((one) => one.public_user_data.user_id === anna)!;
  Object.assign(membership, { role: 'org:admin', updated_at: Date.now() + 1 });
  expect(rolesOf(await sync())).toEqual(['admin']);
  idp.removeMembership({ userId: anna, orgId: acme });
  expect(rolesOf(await sync())).toEqual([]);
  idp.memberships.push(membership);
  expect(rolesOf(await sync())).toEqual(['admin']);
});

test('all memberships are found, even if they fill more than one page', async () => {
  const orgIds = Array.from({ length: 105 }, () => idp.addOrganization().id);
  for (const orgId of orgIds) idp.addMembership({ userId: anna, orgId, role: 'org:admin' });
  expect(rolesOf(await sync())).toHaveLength(105);
  expect(rolesOf(await sync())).toHaveLength(105);
});

test('memberships from our API are kept, and a person whom the provider does not know is not changed', async () => {
  await tenancy.call('POST', '/api/bots/tenants', { as: user(anna), body: { name: 'Own' } });
  expect(rolesOf(await sync())).toEqual(['admin']);
  const stranger = `user_${randomUUID()}`;
  await tenancy.call('POST', '/api/bots/tenants', { as: user(stranger), body: { name: 'Own' } });
  expect([(await sync(stranger)).status, rolesOf(await sync(stranger))]).toEqual([200, ['admin']]);
});

test('while the provider is down or gives nonsense it is 503, and nothing changes', async () => {
  idp.addMembership({ userId: anna, orgId: acme, role: 'org:admin' });
  await sync();
  const path = 'users/{id}/organization_memberships';
  for (const fault of [
    { status: 500 },
    { status: 200, body: { data: 'x' } },
    { status: 200, body: 'no json' },
    { status: 401 },
    { cut: 'before' as const },
  ]) {
    idp.fail(path, fault);
    const answer = await sync();
    expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['error']]);
  }
  idp.fail('users/{id}', { status: 500 });
  expect((await sync()).status).toBe(503);
  expect(rolesOf(await sync())).toEqual(['admin']);
});

test("the provider's limit is passed on as 503 with its Retry-After", async () => {
  idp.fail('users/{id}', { status: 429, headers: { 'retry-after': '7' } });
  const answer = await sync();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
});

test('without a configured provider the caller is returned unchanged', async () => {
  const unasked = await startFakeIdp();
  onTestFinished(() => unasked.close());
  const alone = await startTenancy(harness, {
    env: { IDP_API_URL: unasked.url },
    namespace: `${harness.namespace}_2`,
  });
  idp.addMembership({ userId: anna, orgId: acme, role: 'org:admin' });
  const answer = await sync(anna, undefined, alone);
  expect([answer.status, rolesOf(answer), unasked.calls.count]).toEqual([200, [], 0]);
});

test('sync requires a session', async () => {
  for (const as of [anonymous, null]) {
    expect((await tenancy.call('POST', '/api/current-user/sync', { as })).status).toBe(401);
  }
});
