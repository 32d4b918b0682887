import { randomUUID } from 'node:crypto';
import { accessChanged } from '@botyard/contracts/events/tenancy';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import type { People } from '@botyard/testing/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, emitted, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const membersOf = ({ tenantId }: Pick<People, 'tenantId'>) => `/api/bots/tenants/${tenantId}/members`;
const asAdmin = (method: string, path: string, body?: unknown) =>
  platform.tenancy.call(method, path, { as: platform.acme.admin, body });

test('a person is added, promoted and removed, and each change is announced with it', async () => {
  const { tenancy, acme } = platform;
  const { as, userId, idpUserId } = await newPerson(platform);
  const reaches = async () =>
    (await tenancy.call('GET', `/api/bots/tenants/${acme.tenantId}`, { as })).status;
  expect(await reaches()).toBe(403);
  const added = await asAdmin('POST', membersOf(acme), { userId, role: 'member' });
  expect(added.status).toBe(201);
  expect(added.body).toEqual({
    userId,
    idpUserId,
    email: null,
    name: null,
    role: 'member',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    firstVisitAt: null,
  });
  expect(await reaches()).toBe(200);
  const promoted = await asAdmin('PUT', `${membersOf(acme)}/${userId}`, { role: 'admin' });
  expect([promoted.status, promoted.body.role]).toEqual([200, 'admin']);
  expect((await tenancy.call('GET', membersOf(acme), { as })).status).toBe(200);
  expect((await asAdmin('DELETE', `${membersOf(acme)}/${userId}`)).status).toBe(204);
  expect(await reaches()).toBe(403);
  const announced = (await emitted(platform, accessChanged)).filter((event) => event.idpUserId === idpUserId);
  expect(announced).toEqual(Array(3).fill({ idpUserId, tenantId: acme.tenantId }));
});

test('a person known only to the identity provider is added by that name, and an unknown one is 404', async () => {
  const { acme, idp } = platform;
  const { id } = idp.addUser({ email: 'new@example.com', firstName: 'New', lastName: 'Comer' });
  const added = await asAdmin('POST', membersOf(acme), { idpUserId: id, role: 'member' });
  expect([added.status, added.body.idpUserId]).toEqual([201, id]);
  for (const unknown of [{ userId: randomUUID() }, { idpUserId: 'user_nobody' }]) {
    const answer = await asAdmin('POST', membersOf(acme), { ...unknown, role: 'member' });
    expect([answer.status, answer.body]).toEqual([404, { error: 'user not found' }]);
  }
});

test('a deleted person is unknown', async () => {
  const { acme, harness } = platform;
  const { userId, idpUserId } = await newPerson(platform);
  await harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [userId]);
  for (const named of [{ userId }, { idpUserId }])
    expect((await asAdmin('POST', membersOf(acme), { ...named, role: 'admin' })).status).toBe(404);
});

test.each([
  ['no person', { role: 'member' }, 'userId'],
  ['two names', { userId: randomUUID(), idpUserId: 'user_x', role: 'member' }, 'userId'],
  ['an unknown role', { userId: randomUUID(), role: 'owner' }, 'role'],
  ['no role', { userId: randomUUID() }, 'role'],
  ['an identifier that is none', { userId: 'superadmin', role: 'member' }, 'userId'],
  ['a name of 201 characters', { idpUserId: 'u'.repeat(201), role: 'member' }, 'idpUserId'],
])('%s is 400 with the field', async (_what, body, path) => {
  const answer = await asAdmin('POST', membersOf(platform.acme), body);
  expect(answer.status).toBe(400);
  expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
});

test.each(['U\u0000', '\u202Euser', '../users', 'a b', '%2e%2e', '💥'.repeat(50)])(
  'the hostile name %j matches nobody',
  async (idpUserId) => {
    const answer = await asAdmin('POST', membersOf(platform.acme), { idpUserId, role: 'member' });
    expect([400, 404]).toContain(answer.status);
  },
);

test('an existing member is 409, also with simultaneous requests', async () => {
  const { acme } = platform;
  const { userId } = await newPerson(platform);
  const add = () => asAdmin('POST', membersOf(acme), { userId, role: 'member' });
  const statuses = (await Promise.all(Array.from({ length: 10 }, add))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, ...Array(9).fill(409)]);
});

test('a list shows all people of the tenant in pages, newest first, and no others', async () => {
  const { harness, acme, other } = platform;
  const people = await Promise.all(Array.from({ length: 5 }, () => newPerson(platform)));
  for (const { userId } of people) await asAdmin('POST', membersOf(acme), { userId, role: 'member' });
  const seen: string[] = [];
  for (let path: string | undefined = `${membersOf(acme)}?limit=2`; path; ) {
    const { body, headers } = await asAdmin('GET', path);
    seen.push(...body.map((member: { userId: string }) => member.userId));
    path = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(seen.toSorted().reverse());
  const kept = await harness.asOwner('select user_id from tenancy.memberships where tenant_id = $1', [
    acme.tenantId,
  ]);
  expect(seen).toEqual(expect.arrayContaining(people.map(({ userId }) => userId)));
  expect(seen).toHaveLength(kept.length);
  expect(seen).not.toContain(await userIdOf(platform, other.admin));
});

test('identifiers of another tenant open nothing, at any depth', async () => {
  const { tenancy, acme, other } = platform;
  const foreign = await userIdOf(platform, other.member);
  const own = await userIdOf(platform, acme.member);
  for (const [method, path, body, status] of [
    ['GET', membersOf(other), undefined, 403],
    ['POST', membersOf(other), { userId: own, role: 'admin' }, 403],
    ['PUT', `${membersOf(other)}/${foreign}`, { role: 'admin' }, 403],
    ['DELETE', `${membersOf(other)}/${foreign}`, undefined, 403],
    ['DELETE', `/api/bots/tenants/${other.tenantId}`, undefined, 403],
    ['PUT', `${membersOf(acme)}/${foreign}`, { role: 'admin' }, 404],
    ['DELETE', `${membersOf(acme)}/${foreign}`, undefined, 404],
    ['PUT', `${membersOf(acme)}/${randomUUID()}`, { role: 'admin' }, 404],
    ['DELETE', `${membersOf(acme)}/superadmin`, undefined, 404],
  ] as const) {
    const answer = await asAdmin(method, path, body);
    expect([method, path, answer.status]).toEqual([method, path, status]);
  }
  const roles = await tenancy.call('GET', '/api/current-user', { as: other.member });
  expect(roles.body.tenants).toEqual([{ tenantId: other.tenantId, role: 'member' }]);
});

test('fields other than the role change nothing', async () => {
  const { harness, acme, other } = platform;
  const { userId } = await newPerson(platform);
  const victim = await userIdOf(platform, other.member);
  const extra = { tenantId: other.tenantId };
  for (const [field, value] of Object.entries({ createdAt: '2001-01-01T00:00:00.000Z', isOperator: true })) {
    const refused = await asAdmin('POST', membersOf(acme), { userId, role: 'member', [field]: value });
    expect([refused.status, refused.body.issues]).toMatchObject([
      400,
      [{ path: field, message: expect.stringMatching(/^unrecognized field/) }],
    ]);
  }
  const added = await asAdmin('POST', membersOf(acme), { ...extra, userId, role: 'member' });
  expect(added.status).toBe(201);
  const changed = await asAdmin('PUT', `${membersOf(acme)}/${userId}`, {
    ...extra,
    userId: victim,
    role: 'admin',
  });
  expect([changed.status, changed.body.userId]).toEqual([200, userId]);
  const rows = await harness.asOwner(
    'select tenant_id, user_id, role from tenancy.memberships where user_id = any ($1) order by role',
    [[userId, victim]],
  );
  expect(rows).toEqual([
    { tenant_id: acme.tenantId, user_id: userId, role: 'admin' },
    { tenant_id: other.tenantId, user_id: victim, role: 'member' },
  ]);
});

test("only admins and operators see or change a tenant's people; a refusal reveals nothing", async () => {
  const { tenancy, acme, other } = platform;
  const userId = await userIdOf(platform, acme.member);
  const calls = [
    ['GET', ''],
    ['POST', ''],
    ['PUT', `/${userId}`],
    ['DELETE', `/${userId}`],
  ] as const;
  for (const [method, rest] of calls) {
    const statuses = [];
    for (const as of [null, acme.stranger, acme.member, other.admin])
      statuses.push((await tenancy.call(method, `${membersOf(acme)}${rest}`, { as })).status);
    expect([method, statuses]).toEqual([method, [401, 403, 403, 403]]);
    const missing = membersOf({ tenantId: randomUUID() });
    const [real, none] = await Promise.all([
      tenancy.call(method, `${membersOf(acme)}${rest}`, { as: acme.stranger }),
      tenancy.call(method, `${missing}${rest}`, { as: acme.stranger }),
    ]);
    expect(real.text).toBe(none.text);
  }
  await callOk(tenancy, 'GET', membersOf(acme), { as: acme.operator });
});

test('the platform itself has no people: not even an operator can add one', async () => {
  const { tenancy, acme, harness } = platform;
  const body = { userId: await userIdOf(platform, acme.member), role: 'admin' };
  const path = membersOf({ tenantId: platformTenantId });
  expect((await tenancy.call('POST', path, { as: acme.operator, body })).status).toBe(404);
  expect((await tenancy.call('POST', path, { as: acme.admin, body })).status).toBe(403);
  const insert = harness.asOwner(`insert into tenancy.memberships values ($1, $2, 'admin')`, [
    platformTenantId,
    body.userId,
  ]);
  await expect(insert).rejects.toThrow('memberships_none_of_platform');
});
