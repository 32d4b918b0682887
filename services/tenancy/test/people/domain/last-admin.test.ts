import { accessChanged } from '@botyard/contracts/events/tenancy';
import { withPlatform } from '@botyard/shared/db/database';
import { armFailpoints } from '@botyard/shared/service/failpoint';
import { startAndMissLock } from '@botyard/testing/missed-lock';
import { createTenantWithPeople } from '@botyard/testing/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, emitted, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const adminsOf = async (tenantId: string): Promise<string[]> => {
  const rows = await platform.harness.asOwner<{ user_id: string }>(
    `select user_id from tenancy.memberships where tenant_id = $1 and role = 'admin'`,
    [tenantId],
  );
  return rows.map((row) => row.user_id);
};

/** A new tenant with a second admin. */
async function tenantOfTwo() {
  const { harness, tenancy } = platform;
  const people = await createTenantWithPeople(harness, tenancy);
  const second = await newPerson(platform);
  const path = `/api/bots/tenants/${people.tenantId}/members`;
  await callOk(tenancy, 'POST', path, { as: people.admin, body: { userId: second.userId, role: 'admin' } });
  return { ...people, path, userIds: [await userIdOf(platform, people.admin), second.userId] };
}

test("I-14: the last admin can't be demoted or removed by anybody, and stays announced as before", async () => {
  const { tenancy, acme } = platform;
  const userId = await userIdOf(platform, acme.admin);
  const path = `/api/bots/tenants/${acme.tenantId}/members/${userId}`;
  const before = await emitted(platform, accessChanged);
  for (const as of [acme.admin, acme.operator]) {
    const demoted = await tenancy.call('PUT', path, { as, body: { role: 'member' } });
    const removed = await tenancy.call('DELETE', path, { as });
    expect([demoted.status, removed.status]).toEqual([409, 409]);
  }
  expect(await adminsOf(acme.tenantId)).toEqual([userId]);
  expect(await emitted(platform, accessChanged)).toEqual(before);
});

test('I-14: a deleted admin does not count as the admin that a tenant needs', async () => {
  const { harness, tenancy } = platform;
  const { tenantId, admin, path, userIds } = await tenantOfTwo();
  await harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [userIds[1]]);
  expect((await tenancy.call('DELETE', `${path}/${userIds[0]}`, { as: admin })).status).toBe(409);
  expect(await adminsOf(tenantId)).toHaveLength(2);
});

test('members can be added and removed, even while the only admin is a deleted one', async () => {
  const { harness, tenancy, other } = platform;
  const { userId } = await newPerson(platform);
  const path = `/api/bots/tenants/${other.tenantId}/members`;
  const as = other.operator;
  await harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [
    await userIdOf(platform, other.admin),
  ]);
  await callOk(tenancy, 'POST', path, { as, body: { userId, role: 'member' } });
  await callOk(tenancy, 'DELETE', `${path}/${userId}`, { as });
  await callOk(tenancy, 'POST', path, { as, body: { userId, role: 'member' } });
  await callOk(tenancy, 'PUT', `${path}/${userId}`, { as, body: { role: 'admin' } });
  expect((await tenancy.call('DELETE', `${path}/${userId}`, { as })).status).toBe(409);
});

test('I-15: if two admins are demoted and removed 50 times concurrently, exactly one stays', async () => {
  const { tenancy } = platform;
  for (let round = 0; round < 3; round += 1) {
    const { tenantId, operator, path, userIds } = await tenantOfTwo();
    const attempts = Array.from({ length: 50 }, (_, index) => {
      const target = `${path}/${userIds[index % 2]}`;
      return index % 4 < 2
        ? tenancy.call('PUT', target, { as: operator, body: { role: 'member' } })
        : tenancy.call('DELETE', target, { as: operator });
    });
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 204, 404, 409].includes(status))).toEqual([]);
    expect(await adminsOf(tenantId)).toHaveLength(1);
  }
});

test('a change that fails before its commit has changed and announced nothing', async () => {
  const { tenancy } = platform;
  const { tenantId, operator, path, userIds } = await tenantOfTwo();
  const before = await emitted(platform, accessChanged);
  armFailpoints({ NODE_ENV: 'test', FAILPOINTS: 'tenancy.members.before-commit:error' });
  expect((await tenancy.call('DELETE', `${path}/${userIds[1]}`, { as: operator })).status).toBe(500);
  expect((await adminsOf(tenantId)).sort()).toEqual(userIds.toSorted());
  expect(await emitted(platform, accessChanged)).toEqual(before);
});

test('I-14: a tenant whose creation fails before its commit does not exist, and no tenant ever exists without its admin', async () => {
  const { harness, tenancy, acme, idp } = platform;
  const { id } = idp.addUser({});
  const create = (initialAdminIdpUserId: string) =>
    tenancy.call('POST', '/api/bots/tenants', {
      as: acme.stranger,
      body: { name: 'Half', initialAdminIdpUserId },
    });
  armFailpoints({ NODE_ENV: 'test', FAILPOINTS: 'tenancy.tenants.before-create-commit:error' });
  const statuses = [
    (await create(id)).status,
    (await create('user_nobody')).status,
    (await create(id)).status,
  ];
  expect(statuses).toEqual([500, 404, 201]);
  const rows = await harness.asOwner<{ admins: string }>(
    `select (select count(*) from tenancy.memberships m where m.tenant_id = t.tenant_id and role = 'admin') as admins
     from tenancy.tenants t where name = 'Half'`,
  );
  expect(rows).toEqual([{ admins: '1' }]);
});

test('I-14: no tenant is created for a person whom the identity provider deletes meanwhile', async () => {
  const { harness, tenancy } = platform;
  const { as, userId } = await newPerson(platform);
  const tenantsOf = () => harness.asOwner('select from tenancy.tenants where created_by = $1', [userId]);
  // The lock under which the person's tenants are counted.
  const creating = await withPlatform(harness.databaseAs('tenancy'), 'test', async (tx) => {
    const text = `select pg_advisory_xact_lock(hashtextextended('tenants of ' || $1, 0))`;
    await tx.query({ name: 'test.lock_maker', text, values: [userId] });
    const create = () => tenancy.call('POST', '/api/bots/tenants', { as, body: { name: 'Late' } });
    const started = await startAndMissLock(harness, create);
    await harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [userId]);
    return started;
  });
  expect((await creating.working).status).toBe(404);
  expect(await tenantsOf()).toEqual([]);
});
