import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
  for (const people of [platform.acme, platform.other])
    for (const as of [people.stranger, people.operator]) await userIdOf(platform, as);
});
afterAll(() => platform?.close());

const list = async (
  as: Identity,
  query = '',
): Promise<{ userId: string; name?: string | null; tenants: unknown[] }[]> =>
  await callOk(platform.tenancy, 'GET', `/api/users${query}`, { as });

test('an admin sees the people of the own tenants, with their ties to these alone', async () => {
  const { tenancy, acme, other } = platform;
  const shared = await userIdOf(platform, acme.member);
  await callOk(tenancy, 'POST', `/api/bots/tenants/${other.tenantId}/members`, {
    as: other.admin,
    body: { userId: shared, role: 'admin' },
  });
  const seen = await list(acme.admin);
  expect(seen.map(({ userId }) => userId).sort()).toEqual(
    [await userIdOf(platform, acme.admin), shared].sort(),
  );
  expect(seen.find(({ userId }) => userId === shared)).toMatchObject({
    userId: shared,
    idpUserId: expect.any(String),
    tenants: [{ tenantId: acme.tenantId, role: 'member' }],
  });
  expect(await list(acme.admin, `?tenantId=${acme.tenantId}`)).toEqual(seen);
  await callOk(tenancy, 'DELETE', `/api/bots/tenants/${other.tenantId}/members/${shared}`, {
    as: other.admin,
  });
});

test('an operator sees everybody, page by page, and can narrow to any tenant', async () => {
  const { tenancy, harness, acme, other } = platform;
  const seen: string[] = [];
  for (let path: string | undefined = '/api/users?limit=3'; path; ) {
    const { body, headers } = await tenancy.call('GET', path, { as: acme.operator });
    seen.push(...body.map((person: { userId: string }) => person.userId));
    path = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  const kept = await harness.asOwner<{ user_id: string }>(
    'select user_id from tenancy.users where deleted_at is null order by user_id desc',
  );
  expect(seen).toEqual(kept.map((row) => row.user_id));
  const narrowed = await list(acme.operator, `?tenantId=${other.tenantId}`);
  expect(narrowed).toHaveLength(2);
  expect(await list(acme.operator, `?tenantId=${randomUUID()}`)).toEqual([]);
});

test('people are found by name and address, sorted by either page by page, and narrowed by role', async () => {
  const { tenancy } = platform;
  const unique = randomUUID();
  const people = ['Bea', 'anna', 'Cleo'].map((name) =>
    user(`user_${name}_${unique}`, { name: `${name} ${unique}`, email: `${name}_${unique}@people.example` }),
  );
  const as = people[0]!;
  for (const one of people) await userIdOf(platform, one);
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', { as, body: { name: 'Own' } });
  for (const one of people.slice(1)) {
    const body = { userId: await userIdOf(platform, one), role: 'member' };
    await callOk(tenancy, 'POST', `/api/bots/tenants/${tenantId}/members`, { as, body });
    await callOk(tenancy, 'POST', '/api/tenant/select', { as: one, body: { tenantId }, status: 200 });
    await callOk(tenancy, 'GET', `/api/bots/tenants/${tenantId}`, { as: one });
  }
  const namesOf = (rows: { name?: string | null }[]) => rows.map(({ name }) => name?.split(' ')[0]);
  expect(namesOf(await list(as, '?q=ANNA'))).toEqual(['anna']);
  expect(namesOf(await list(as, `?q=cleo_${unique}@`))).toEqual(['Cleo']);
  expect(await list(as, '?q=a%25a')).toEqual([]);
  expect(namesOf(await list(as, '?sort=name'))).toEqual(['anna', 'Bea', 'Cleo']);
  expect(namesOf(await list(as, '?sort=-email'))).toEqual(['Cleo', 'Bea', 'anna']);
  expect(namesOf(await list(as, '?role=admin'))).toEqual(['Bea']);
  const seen: (string | undefined)[] = [];
  for (let path: string | undefined = '/api/users?sort=-name&limit=1'; path; ) {
    const { body, headers } = await tenancy.call('GET', path, { as });
    seen.push(...namesOf(body));
    path = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(['Cleo', 'Bea', 'anna']);
});

test('a search by a hidden name or address finds nothing', async () => {
  const { tenancy, acme } = platform;
  const email = `hidden-${randomUUID()}@people.example`;
  const hidden = user(`user_${randomUUID()}`, { name: 'Hidden Person', email });
  const body = { userId: await userIdOf(platform, hidden), role: 'member' };
  await callOk(tenancy, 'POST', `/api/bots/tenants/${acme.tenantId}/members`, { as: acme.admin, body });
  for (const q of ['hidden', email]) expect(await list(acme.admin, `?q=${q}`)).toEqual([]);
  expect(await list(acme.operator, `?q=${email}`)).toHaveLength(1);
  await callOk(tenancy, 'DELETE', `/api/bots/tenants/${acme.tenantId}/members/${body.userId}`, {
    as: acme.admin,
  });
});

test('a caller without tenants to administer is refused, as is a look outside the own tenants', async () => {
  const { tenancy, acme, other } = platform;
  const userId = await userIdOf(platform, acme.member);
  const ofOne = [`/api/users/${userId}`, `/api/users/${userId}/quotes`];
  const lists = ['/api/users', '/api/users/stats', '/api/users/chats', '/api/users/quotes'];
  for (const path of [...lists, ...ofOne]) {
    const statuses = [];
    for (const as of [null, acme.stranger, acme.member])
      statuses.push((await tenancy.call('GET', path, { as })).status);
    expect([path, statuses]).toEqual([path, [401, 403, 403]]);
  }
  for (const path of lists) {
    const [foreign, missing] = await Promise.all(
      [other.tenantId, randomUUID()].map((tenantId) =>
        tenancy.call('GET', `${path}?tenantId=${tenantId}`, { as: acme.admin }),
      ),
    );
    expect([foreign?.status, missing?.status]).toEqual([403, 403]);
    expect(foreign?.text).toBe(missing?.text);
  }
});

test('one person is shown within reach only: outside looks like one who does not exist', async () => {
  const { tenancy, acme, other } = platform;
  const get = (userId: string, as: Identity) => tenancy.call('GET', `/api/users/${userId}`, { as });
  const [own, foreign] = [await userIdOf(platform, acme.member), await userIdOf(platform, other.member)];
  expect((await get(own, acme.admin)).body).toMatchObject({
    userId: own,
    tenants: [{ tenantId: acme.tenantId, role: 'member' }],
  });
  const answers = await Promise.all(
    [foreign, randomUUID(), 'nobody', 'superadmin'].map((id) => get(id, acme.admin)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await get(foreign, acme.operator)).status).toBe(200);
});

test("the counts are limited to the caller's reach and add up; a deleted person is in none of them", async () => {
  const { tenancy, harness, acme } = platform;
  const stats = (as: Identity) => callOk(tenancy, 'GET', '/api/users/stats', { as });
  const { userId } = await newPerson(platform);
  await callOk(tenancy, 'POST', `/api/bots/tenants/${acme.tenantId}/members`, {
    as: acme.admin,
    body: { userId, role: 'member' },
  });
  expect(await stats(acme.admin)).toEqual({
    users: 3,
    admins: 1,
    members: 2,
    withoutTenant: 0,
    newLast7Days: 3,
  });
  const all = await stats(acme.operator);
  expect(all.admins + all.members + all.withoutTenant).toBe(all.users);
  expect(all.withoutTenant).toBeGreaterThan(0);
  await harness.asOwner(
    `update tenancy.users set created_at = now() - interval '8 days' where user_id = $1`,
    [userId],
  );
  expect((await stats(acme.admin)).newLast7Days).toBe(2);
  await harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [userId]);
  expect(await stats(acme.admin)).toMatchObject({ users: 2, members: 1 });
  expect((await list(acme.admin)).map((person) => person.userId)).not.toContain(userId);
  expect((await tenancy.call('GET', `/api/users/${userId}`, { as: acme.operator })).status).toBe(404);
});

test('the tenants of the caller are listed with name and role, page by page', async () => {
  const { tenancy, acme, other } = platform;
  const { as, userId } = await newPerson(platform);
  const own = (query = '') => tenancy.call('GET', `/api/current-user/tenants${query}`, { as });
  expect((await own()).body).toEqual([]);
  for (const [people, role] of [
    [acme, 'member'],
    [other, 'admin'],
  ] as const)
    await callOk(tenancy, 'POST', `/api/bots/tenants/${people.tenantId}/members`, {
      as: people.admin,
      body: { userId, role },
    });
  const all = (await own()).body;
  expect(all).toHaveLength(2);
  expect(all).toEqual(
    expect.arrayContaining([
      { tenantId: acme.tenantId, name: 'Acme', role: 'member' },
      { tenantId: other.tenantId, name: 'Acme', role: 'admin' },
    ]),
  );
  const first = await own('?limit=1');
  const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await tenancy.call('GET', next, { as });
  expect([...first.body, ...second.body]).toEqual(all);
  expect(second.headers.get('link')).toBe(null);
  expect((await tenancy.call('GET', '/api/current-user/tenants', { as: null })).status).toBe(401);
  expect((await tenancy.call('GET', '/api/current-user/tenants?limit=0', { as })).status).toBe(400);
});
