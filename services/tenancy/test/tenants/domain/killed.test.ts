import type { TestCall } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

/** Calls a process of its own, on the same database, that kills itself at the failpoint before it can answer. */
async function callUntilCrash(failpoint: string, ...request: Parameters<TestCall>): Promise<void> {
  const { harness, messenger, idp } = platform;
  const crashing = await harness.startProcess('tenancy', {
    MESSENGER_API_URL: messenger.url,
    IDP_API_URL: idp.url,
    FAILPOINTS: `${failpoint}:crash`,
  });
  await expect(crashing.call(...request)).rejects.toThrow();
  expect(await crashing.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

const rowsOf = (text: string, tenantId: string) => platform.harness.asOwner(text, [tenantId]);

test('I-14: a kill between a removal and its commit leaves both admins, and the tenant can be changed immediately', async () => {
  const { acme, tenancy } = platform;
  const { tenantId, admin: as } = acme;
  const second = await newPerson(platform);
  const members = `/api/bots/tenants/${tenantId}/members`;
  await callOk(tenancy, 'POST', members, { as, body: { userId: second.userId, role: 'admin' } });
  const first = await userIdOf(platform, as);
  await callUntilCrash('tenancy.members.before-commit', 'DELETE', `${members}/${second.userId}`, { as });
  expect(
    await rowsOf(`select from tenancy.memberships where tenant_id = $1 and role = 'admin'`, tenantId),
  ).toHaveLength(2);
  await callOk(tenancy, 'DELETE', `${members}/${second.userId}`, { as });
  expect((await tenancy.call('DELETE', `${members}/${first}`, { as })).status).toBe(409);
});

test('I-14: a kill between the creation of a tenant and its commit leaves no tenant', async () => {
  const { other, harness } = platform;
  await callUntilCrash('tenancy.tenants.before-create-commit', 'POST', '/api/bots/tenants', {
    as: other.admin,
    body: { name: 'Never was' },
  });
  expect(await harness.asOwner(`select from tenancy.tenants where name = 'Never was'`)).toEqual([]);
});

test('a kill between the deletion of a tenant and its commit leaves it whole and unannounced', async () => {
  const { other, tenancy } = platform;
  const path = `/api/bots/tenants/${other.tenantId}`;
  await callUntilCrash('tenancy.tenants.before-delete-commit', 'DELETE', path, { as: other.admin });
  expect((await callOk(tenancy, 'GET', path, { as: other.admin })).tenantId).toBe(other.tenantId);
  expect(
    await rowsOf(
      `select from tenancy.outbox where subject like '%.tenancy.tenant.deleted.v1.' || $1 || '.%'`,
      other.tenantId,
    ),
  ).toEqual([]);
});
