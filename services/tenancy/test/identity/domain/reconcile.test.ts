import { eventually } from '@botyard/testing/eventually';
import type { FakeIdp } from '@botyard/testing/fake-idp';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWithFakeIdp, startTenancy } from '../../idp-services.ts';

let harness: ServiceHarness;
let idp: FakeIdp;

beforeEach(async () => {
  ({ harness, idp } = await openWithFakeIdp());
  for (const id of ['user_anna', 'user_ben', 'user_cy']) idp.addUser({ id, firstName: id });
  idp.addOrganization({ id: 'org_acme', name: 'Acme' });
  idp.addMembership({ userId: 'user_anna', orgId: 'org_acme', role: 'org:admin' });
  idp.addMembership({ userId: 'user_ben', orgId: 'org_acme' });
});

afterEach(async () => {
  await harness?.close();
  await idp?.close();
});

const every = (ms: number) => ({ IDP_RECONCILE_EVERY_MS: String(ms) });

const seats = async () => {
  const rows = await harness.asOwner<{ seat: string }>(
    `select u.idp_user_id || ' ' || m.role as seat from tenancy.memberships m join tenancy.users u using (user_id)
     order by 1`,
  );
  return rows.map(({ seat }) => seat);
};

const comesTo = (what: string, expected: string[]) =>
  eventually(`${what}: ${expected.join(', ')}`, async () => (await seats()).join() === expected.join());

/** Waits for a reconciliation that began after now. */
async function nextRun(): Promise<void> {
  const runs = () => idp.calls.filter(({ operation }) => operation === 'users').length;
  const before = runs();
  await eventually('two more began', () => runs() >= before + 2);
}

/** A tenant that knows of Acme by its creator's sync. */
async function start(ms = 150) {
  const tenancy = await startTenancy(harness, { idp, env: every(ms) });
  for (const id of ['user_anna', 'user_ben'])
    await tenancy.call('POST', '/api/current-user/sync', { as: user(id) });
  return tenancy;
}

test('missed arrivals, departures and changes are repaired, and so are names', async () => {
  const tenancy = await start();
  await comesTo('at first', ['user_anna admin', 'user_ben member']);
  idp.removeMembership({ userId: 'user_ben', orgId: 'org_acme' });
  idp.addMembership({ userId: 'user_cy', orgId: 'org_acme', role: 'org:admin' });
  Object.assign(idp.organizations.get('org_acme')!, { name: 'Acme SE', updated_at: Date.now() + 1 });
  Object.assign(idp.users.get('user_anna')!, { first_name: 'Anna', updated_at: Date.now() + 1 });
  await comesTo('after', ['user_anna admin', 'user_cy admin']);
  await eventually('names', async () => {
    const [row] = await harness.asOwner<{ names: string }>(
      `select t.name || ' ' || u.name as names from tenancy.tenants t, tenancy.users u
       where t.idp_org_id = 'org_acme' and u.idp_user_id = 'user_anna'`,
    );
    return row?.names === 'Acme SE Anna';
  });
  expect((await tenancy.call('GET', '/api/current-user', { as: user('user_ben') })).body.tenants).toEqual([]);
});

test('deleted people and organizations are found; people known only from a token are not changed', async () => {
  const tenancy = await start();
  await tenancy.call('GET', '/api/current-user', { as: user('user_token_only') });
  idp.removeUser('user_ben');
  await comesTo('after', ['user_anna admin']);
  const statusOf = async (id: string) =>
    (await tenancy.call('GET', '/api/current-user', { as: user(id) })).status;
  expect([await statusOf('user_ben'), await statusOf('user_token_only')]).toEqual([401, 200]);
  idp.organizations.delete('org_acme');
  idp.memberships.splice(0);
  await eventually('the mapping is gone', async () => {
    const rows = await harness.asOwner('select from tenancy.tenants where idp_org_id is not null');
    return rows.length === 0;
  });
  expect(await seats()).toEqual(['user_anna admin']);
});

test('a provider that knows no users means a wrong key: nobody is deleted, and it is logged', async () => {
  // No comparison yet: one that is half done would have seen some of them.
  await start(600_000);
  idp.users.clear();
  idp.organizations.clear();
  idp.memberships.splice(0);
  await startTenancy(harness, { idp, env: every(150), namespace: `${harness.namespace}_b` });
  await eventually('it is said', () =>
    harness.logLines.some((line) => line.includes('check IDP_SECRET_KEY')),
  );
  await nextRun();
  expect(await seats()).toEqual(['user_anna admin', 'user_ben member']);
  expect(await harness.asOwner('select from tenancy.users where deleted_at is not null')).toEqual([]);
});

test('all people and all members are compared, even if they fill more than a page', async () => {
  const ids = Array.from({ length: 130 }, (_, index) => `user_many_${String(index).padStart(3, '0')}`);
  for (const id of ids) {
    idp.addUser({ id });
    idp.addMembership({ userId: id, orgId: 'org_acme' });
  }
  await start();
  const members = ids.map((id) => `${id} member`);
  await comesTo('all', ['user_anna admin', 'user_ben member', ...members]);
  idp.removeUser('user_many_129');
  idp.removeMembership({ userId: 'user_many_000', orgId: 'org_acme' });
  await comesTo('all but two', ['user_anna admin', 'user_ben member', ...members.slice(1, -1)]);
});

test('a person missing from a page is looked up before they lose anything', async () => {
  await start();
  const withoutBen = idp.memberships.filter((one) => one.public_user_data.user_id !== 'user_ben');
  const short = { data: withoutBen, total_count: withoutBen.length };
  idp.fail('organizations/{id}/memberships', { status: 200, body: short, times: 4 });
  await nextRun();
  await nextRun();
  expect(await seats()).toEqual(['user_anna admin', 'user_ben member']);
});

test('a limit is waited for and an outage survived', async () => {
  await start();
  idp.fail('users', { status: 429, headers: { 'retry-after': '1' } });
  idp.fail('organizations/{id}', { cut: 'before' });
  idp.removeMembership({ userId: 'user_ben', orgId: 'org_acme' });
  await comesTo('after', ['user_anna admin']);
  const times = idp.calls
    .filter(({ operation }) => operation === 'users')
    .map(({ receivedAt }) => receivedAt);
  const limited =
    idp.calls.filter(({ status }) => status === 429).map(({ receivedAt }) => receivedAt)[0] ?? 0;
  const next = times.find((at) => at > limited) ?? 0;
  expect(next - limited).toBeGreaterThanOrEqual(1000);
});

test('only one of two instances compares at a time, and each time only once', async () => {
  await startTenancy(harness, { idp, env: every(500) });
  await startTenancy(harness, { idp, env: every(500), namespace: `${harness.namespace}_b` });
  idp.calls.clear();
  idp.delay('users', 30);
  await harness.asOwner(
    `insert into tenancy.users (user_id, idp_user_id) values (gen_random_uuid(), 'user_anna')`,
  );
  const callTimes = () =>
    idp.calls.filter(({ operation }) => operation === 'users').map(({ receivedAt }) => receivedAt);
  await eventually('nine runs', () => callTimes().length >= 9);
  // Eight times 500 ms; half as long if each instance ran by itself. The first call may have come late.
  const [first = 0, last = 0] = [callTimes()[0], callTimes()[8]];
  expect(last - first).toBeGreaterThan(3000);
});

test('without a key nothing is compared', async () => {
  await start();
  await startTenancy(harness, {
    env: { IDP_API_URL: idp.url, ...every(100) },
    namespace: `${harness.namespace}_b`,
  });
  for (const _ of [1, 2, 3]) await nextRun();
  // A request without a key gets no answer, and would be logged.
  expect(harness.logLines.filter((line) => line.includes('reconciling with'))).toEqual([]);
});
