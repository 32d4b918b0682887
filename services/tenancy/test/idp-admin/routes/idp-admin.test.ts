import { randomUUID } from 'node:crypto';
import { accessChanged } from '@botyard/contracts/events/tenancy';
import { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import { readIdpMembership } from '@botyard/shared/auth/idp-records';
import type { FakeIdp } from '@botyard/testing/fake-idp';
import type { ServiceHarness, TestService } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openWithFakeIdp, startTenancy } from '../../idp-services.ts';
import { emitted } from '../../tenancy-services.ts';

let harness: ServiceHarness;
let idp: FakeIdp;
let tenancy: TestService;
let anna: string;
let ben: string;
let acme: string;
const operator = user('user_operator', { isOperator: true });
const base = '/api/idp-admin';

beforeAll(async () => {
  ({ harness, idp } = await openWithFakeIdp());
  tenancy = await startTenancy(harness, { idp });
});
afterAll(async () => {
  await harness?.close();
  await idp?.close();
});
beforeEach(() => {
  const tag = randomUUID().replaceAll('-', '').slice(0, 12);
  [anna, ben, acme] = [`user_anna${tag}`, `user_ben${tag}`, `org_acme${tag}`];
  for (const id of [anna, ben]) idp.addUser({ id, email: `${id}@example.com`, firstName: id });
});
afterEach(() => idp.clearFaults());

const call = (method: string, path: string, body?: unknown) =>
  tenancy.call(method, `${base}${path}`, { as: operator, ...(body ? { body } : {}) });
const reachOf = async (idpUserId: string) => {
  const { status, body } = await tenancy.call('GET', '/api/current-user', { as: user(idpUserId) });
  return status === 200 ? body.tenants : status;
};
/** An organization with Anna as its admin, made through the API, with its tenant. */
async function makeOrganization(name = 'Acme') {
  const { status, body } = await call('POST', '/organizations', { name, createdBy: anna });
  expect(status).toBe(201);
  acme = body.idpOrgId;
  return body as { idpOrgId: string; tenantId: string };
}
const memberships = () => `/organizations/${acme}/memberships`;

test('users are listed and read with who they are here', async () => {
  const unknown = (await call('GET', `/users/${anna}`)).body;
  expect(unknown).toMatchObject({
    idpUserId: anna,
    email: `${anna}@example.com`,
    banned: false,
    userId: null,
    tenants: [],
  });
  const { tenantId } = await makeOrganization();
  const { body } = await tenancy.call('GET', '/api/current-user', { as: user(anna) });
  const expectedUser = { idpUserId: anna, userId: body.userId, tenants: [{ tenantId, role: 'admin' }] };
  expect((await call('GET', `/users/${anna}`)).body).toMatchObject(expectedUser);
  expect((await call('GET', `/users?email=${anna}@example.com`)).body).toMatchObject([expectedUser]);
  expect((await call('GET', `/users?query=${ben}`)).body).toMatchObject([{ idpUserId: ben }]);
  expect((await call('GET', '/users?email=nonsense')).status).toBe(400);
});

test('pages of all three lists contain everything once, newest first, with a cursor that can not be forged', async () => {
  await makeOrganization();
  for (let count = 0; count < 5; count += 1) {
    idp.addOrganization({ name: `${acme} ${count}` });
    idp.addMembership({ userId: idp.addUser({ lastName: acme }).id, orgId: acme });
  }
  const listed: Record<string, string> = {
    idpUserId: `/users?query=${acme}&`,
    idpOrgId: `/organizations?query=${acme}&`,
  };
  for (const [idName, path] of [...Object.entries(listed), ['idpUserId', `${memberships()}?`]] as const) {
    const all = (await call('GET', `${path}limit=500`)).body as Record<string, string>[];
    expect(all.length).toBeGreaterThanOrEqual(5);
    const items: unknown[] = [];
    let next: string | undefined = `${base}${path}limit=2`;
    while (next) {
      const page = await tenancy.call('GET', next, { as: operator });
      expect(page.body.length).toBeLessThanOrEqual(2);
      items.push(...page.body);
      next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(items).toEqual(all);
    expect(new Set(all.map((item) => item[idName])).size).toBe(all.length);
    expect((await call('GET', `${path}before=bm9uc2Vuc2U`)).status).toBe(400);
  }
});

test('an organization created, renamed or deleted here changes immediately at the provider and in its tenant', async () => {
  const { idpOrgId, tenantId } = await makeOrganization('Acme');
  expect(await reachOf(anna)).toEqual([{ tenantId, role: 'admin' }]);
  const renamed = await call('PUT', `/organizations/${idpOrgId}`, { name: 'Acme SE' });
  expect(renamed.body).toMatchObject({
    idpOrgId,
    name: 'Acme SE',
    tenantId,
    tenantName: 'Acme SE',
    createdBy: anna,
  });
  expect((await call('GET', `/organizations/${idpOrgId}`)).body).toEqual(renamed.body);
  expect(idp.organizations.get(idpOrgId)?.name).toBe('Acme SE');
  await call('POST', memberships(), { idpUserId: ben, role: 'member' });
  expect((await call('DELETE', `/organizations/${idpOrgId}`)).status).toBe(204);
  expect((await call('GET', `/organizations/${idpOrgId}`)).status).toBe(404);
  expect([await reachOf(anna), await reachOf(ben)]).toEqual([[{ tenantId, role: 'admin' }], []]);
});

test('memberships added, changed or removed here apply immediately, and the later events change nothing', async () => {
  const { tenantId } = await makeOrganization();
  const added = await call('POST', memberships(), { idpUserId: ben, role: 'member' });
  expect(added.status).toBe(201);
  expect(added.body).toMatchObject({
    idpOrgId: acme,
    idpUserId: ben,
    role: 'member',
    idpRole: 'org:member',
    tenantId,
    tenantRole: 'member',
  });
  expect(await reachOf(ben)).toEqual([{ tenantId, role: 'member' }]);
  const changed = await call('PUT', `${memberships()}/${ben}`, { role: 'admin' });
  expect(changed.body).toMatchObject({ role: 'admin', tenantRole: 'admin', userId: added.body.userId });
  const membership = idp.memberships.find((one) => one.public_user_data.user_id === ben)!;
  expect((await call('DELETE', `${memberships()}/${ben}`)).status).toBe(204);
  expect(await reachOf(ben)).toEqual([]);
  const heard = (await emitted(harness, accessChanged)).length;
  await publish('membership.saved', membership, Date.now() - 1000);
  await publish('membership.deleted', membership, Date.now());
  await harness.settled('tenancy', 'webhooks');
  expect(await reachOf(ben)).toEqual([]);
  expect((await emitted(harness, accessChanged)).length).toBe(heard);
});

/** Publishes the provider's event like the webhooks service. */
async function publish(
  kind: 'membership.saved' | 'membership.deleted',
  record: FakeIdp['memberships'][number],
  at: number,
) {
  const membership = readIdpMembership(record, at)!;
  await harness.publish(identityChanged, { kind, happenedAt: at, membership });
}

test('a user who is deleted here loses all access; a banned one is shown as banned', async () => {
  await makeOrganization();
  await call('POST', memberships(), { idpUserId: ben, role: 'member' });
  expect((await call('POST', `/users/${ben}/ban`)).body).toMatchObject({ idpUserId: ben, banned: true });
  expect((await call('POST', `/users/${ben}/unban`)).body).toMatchObject({ banned: false });
  expect((await call('DELETE', `/users/${ben}`)).status).toBe(204);
  expect(await reachOf(ben)).toBe(401);
  expect(idp.users.has(ben)).toBe(false);
  expect((await call('GET', `/users/${ben}`)).status).toBe(404);
});

test('the last admin of a tenant is refused before the provider is asked, and may go when there is another', async () => {
  await makeOrganization();
  const tries = () =>
    Promise.all([
      call('PUT', `${memberships()}/${anna}`, { role: 'member' }),
      call('DELETE', `${memberships()}/${anna}`),
      call('DELETE', `/users/${anna}`),
    ]);
  const before = idp.calls.filter(({ method }) => method !== 'GET').length;
  expect((await tries()).map(({ status }) => status)).toEqual([409, 409, 409]);
  expect(idp.calls.filter(({ method }) => method !== 'GET').length).toBe(before);
  await call('POST', memberships(), { idpUserId: ben, role: 'admin' });
  expect((await call('PUT', `${memberships()}/${anna}`, { role: 'member' })).status).toBe(200);
  expect((await call('DELETE', `/users/${anna}`)).status).toBe(204);
  expect((await call('DELETE', `${memberships()}/${ben}`)).status).toBe(409);
});

test('an object unknown to the provider is 404, an existing one 409, and a refused one 422, in our words', async () => {
  await makeOrganization();
  const unknown = [
    await call('GET', '/users/user_nobody'),
    await call('POST', '/users/user_nobody/ban'),
    await call('DELETE', '/users/user_nobody'),
    await call('GET', '/organizations/org_nowhere'),
    await call('PUT', '/organizations/org_nowhere', { name: 'X' }),
    await call('DELETE', '/organizations/org_nowhere'),
    await call('GET', '/organizations/org_nowhere/memberships'),
    await call('POST', memberships(), { idpUserId: 'user_nobody', role: 'member' }),
    await call('PUT', `${memberships()}/${ben}`, { role: 'member' }),
    await call('DELETE', `${memberships()}/${ben}`),
    await call('POST', '/organizations', { name: 'X', createdBy: 'user_nobody' }),
  ];
  expect(unknown.map(({ status }) => status)).toEqual(unknown.map(() => 404));
  expect((await call('POST', memberships(), { idpUserId: anna, role: 'member' })).status).toBe(409);
  idp.organizations.get(acme)!.max_allowed_memberships = 1;
  const refused = await call('POST', memberships(), { idpUserId: ben, role: 'member' });
  expect([refused.status, refused.body]).toEqual([422, { error: 'the identity provider refuses this' }]);
  expect((await call('POST', memberships(), { idpUserId: ben, role: 'owner' })).status).toBe(400);
  expect((await call('POST', memberships(), { idpUserId: '../users', role: 'member' })).status).toBe(400);
});

test('identifiers of another shape are 404, and the provider is not asked', async () => {
  const callCount = () => idp.calls.filter(() => true).length;
  const before = callCount();
  const hostile = [
    'count',
    '..%2forganizations',
    'user_%00',
    'user_a%2fban',
    'user_a%3fx',
    `user_${'a'.repeat(60)}`,
    'user_%E2%80%AE',
    'org_acme',
    'user_',
  ];
  for (const id of hostile) {
    for (const [method, path] of [
      ['GET', `/users/${id}`],
      ['POST', `/users/${id}/ban`],
      ['DELETE', `/users/${id}`],
    ] as const) {
      expect([method, id, (await call(method, path)).status]).toEqual([method, id, 404]);
    }
    const asOrganization = id === 'org_acme' ? 'acme' : id;
    expect((await call('GET', `/organizations/${asOrganization}`)).status).toBe(404);
    expect((await call('DELETE', `/organizations/org_x/memberships/${id}`)).status).toBe(404);
  }
  expect(callCount()).toBe(before);
});

const failures: [string, Parameters<FakeIdp['fail']>[1]][] = [
  ['asks to wait', { status: 429, headers: { 'retry-after': '7' }, body: { errors: [] } }],
  [
    'fails',
    { status: 500, body: { errors: [{ message: 'inner secret', code: 'x' }], clerk_trace_id: 'trace1' } },
  ],
  [
    'refuses the key',
    { status: 401, body: { errors: [{ message: 'inner secret', code: 'authentication_invalid' }] } },
  ],
  ['cuts the connection', { cut: 'before' }],
  ['talks nonsense', { status: 200, body: '<html>inner secret' }],
  ['answers something else', { status: 200, body: { id: 'other', secret: 'inner secret' } }],
];
test.each(failures)(
  'a provider that %s is 503 with Retry-After, without its own words, and nothing is changed',
  async (_, fault) => {
    await makeOrganization();
    const requests = [
      ['users/{id}', 'GET', `/users/${anna}`],
      ['users', 'GET', '/users'],
      ['organizations/{id}/memberships', 'GET', memberships()],
      ['PATCH organizations/{id}', 'PUT', `/organizations/${acme}`, { name: 'Stolen' }],
      ['POST organizations/{id}/memberships', 'POST', memberships(), { idpUserId: ben, role: 'admin' }],
    ] as const;
    for (const [operation, method, path, body] of requests) {
      idp.fail(operation, fault);
      const answer = await call(method, path, body);
      expect([operation, answer.status]).toEqual([operation, 503]);
      expect(Number(answer.headers.get('retry-after'))).toBe(fault && 'headers' in fault ? 7 : 1);
      expect(answer.text).not.toMatch(/secret|trace|clerk/);
    }
    expect(await reachOf(ben)).toEqual([]);
    expect((await call('GET', `/organizations/${acme}`)).body.tenantName).toBe('Acme');
  },
);

test('a provider that hangs is timed out with 503', async () => {
  idp.fail('users/{id}', { hang: true });
  expect((await call('GET', `/users/${anna}`)).status).toBe(503);
});

test('without a key every answer is 503 and names the setting', async () => {
  const unconfigured = await startTenancy(harness, { namespace: `${harness.namespace}_none` });
  for (const path of ['/users', '/organizations', `/users/${anna}`]) {
    const answer = await unconfigured.call('GET', `${base}${path}`, { as: operator });
    expect([answer.status, answer.body.error]).toEqual([503, expect.stringContaining('IDP_SECRET_KEY')]);
  }
});

test('every write is in the audit log', async () => {
  await makeOrganization();
  await call('POST', memberships(), { idpUserId: ben, role: 'member' });
  const lines = harness.logLines.filter((line) => line.includes('"audit"') && line.includes(acme));
  expect(lines.map((line) => JSON.parse(line).audit)).toEqual([
    'idp organization created',
    'idp membership added',
  ]);
});
