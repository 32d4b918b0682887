import { type AnyTx, withPlatform } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteMembership, updateMembership } from '../../../src/people/store/memberships.ts';
import { callOk, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const countAdmins = async (tenantId: string) => {
  const rows = await platform.harness.asOwner(
    `select from tenancy.memberships where tenant_id = $1 and role = 'admin'`,
    [tenantId],
  );
  return rows.length;
};

test('I-14: the database refuses a commit that leaves a tenant without an admin, when the code forgets to look', async () => {
  const { harness, acme } = platform;
  const database = harness.databaseAs('tenancy');
  const key = { tenantId: acme.tenantId, userId: await userIdOf(platform, acme.admin) };
  const without = (work: (tx: AnyTx) => Promise<unknown>) => withPlatform(database, 'test', work);
  await expect(without((tx) => deleteMembership(tx, key))).rejects.toThrow('a tenant needs an admin');
  await expect(without((tx) => updateMembership(tx, key, { role: 'member' }))).rejects.toThrow(
    'a tenant needs an admin',
  );
  expect(await countAdmins(acme.tenantId)).toBe(1);
});

/** As the commit does it, but so that a test can stand in between. */
const checkNow = { name: 'test.check', text: 'set constraints all immediate', values: [] };

test('I-15: two transactions that each take one of two admins away do not both commit', async () => {
  const { harness, tenancy, other } = platform;
  const database = harness.databaseAs('tenancy');
  const second = await newPerson(platform);
  await callOk(tenancy, 'POST', `/api/bots/tenants/${other.tenantId}/members`, {
    as: other.admin,
    body: { userId: second.userId, role: 'admin' },
  });
  const written = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const firstIsChecked = Promise.withResolvers<void>();
  let isSecondChecked = false;
  const isSecondWaiting = async () => {
    const waiting = await harness.asOwner(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  };
  const first = withPlatform(database, 'test', async (tx) => {
    await deleteMembership(tx, { tenantId: other.tenantId, userId: second.userId });
    written[0].resolve();
    await written[1].promise;
    await tx.query(checkNow);
    firstIsChecked.resolve();
    await eventually('the second one looks', async () => isSecondChecked || (await isSecondWaiting()));
  });
  const userId = await userIdOf(platform, other.admin);
  const later = withPlatform(database, 'test', async (tx) => {
    await written[0].promise;
    await deleteMembership(tx, { tenantId: other.tenantId, userId });
    written[1].resolve();
    await firstIsChecked.promise;
    await tx.query(checkNow);
    isSecondChecked = true;
  });
  const outcomes = await Promise.allSettled([first, later]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await countAdmins(other.tenantId)).toBe(1);
});
