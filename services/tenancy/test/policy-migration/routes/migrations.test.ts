import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { withPlatform } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockTenant } from '../../../src/store/tenants.ts';
import {
  type Applier,
  memberDeleted,
  memberSaved,
  openApplier,
  organizationDeleted,
  organizationSaved,
  userDeleted,
} from '../../identity-changes.ts';
import { startTenancy } from '../../idp-services.ts';
import {
  dumpOf,
  migrationPath,
  mirrorOrganizations,
  operator,
  reaches,
  seatsOf,
} from '../../mirrored-tenants.ts';
import { emitted } from '../../tenancy-services.ts';

let harness: ServiceHarness;
let applier: Applier;
let tenancy: TestService;

beforeEach(async () => {
  harness = await ServiceHarness.open();
  applier = await openApplier(harness);
  tenancy = await startTenancy(harness);
  await mirrorOrganizations(applier, ['acme', 'beta']);
});
afterEach(async () => {
  for (const release of releases.splice(0)) await release();
  await harness?.close();
});
/** Releases locks that a failed test has left. */
const releases: (() => Promise<void>)[] = [];

const get = async (path: string) =>
  (await tenancy.call('GET', `${migrationPath}${path}`, { as: operator })).body;
const post = (what: 'execute' | 'rollback') =>
  tenancy.call('POST', `${migrationPath}/${what}`, { as: operator });
async function execute() {
  expect((await post('execute')).status).toBe(202);
  await reaches(tenancy.call, 'executed');
}
async function rollBack() {
  expect((await post('rollback')).status).toBe(202);
  await reaches(tenancy.call, 'rolledBack');
}
const tenantOf = async (org: string) => {
  const [row] = await harness.asOwner<{ tenant_id: string }>(
    'select tenant_id from tenancy.tenants where idp_org_id = $1',
    [org],
  );
  return row?.tenant_id ?? '';
};
const userIdOf = async (idpUserId: string) => {
  const [row] = await harness.asOwner<{ user_id: string }>(
    'select user_id from tenancy.users where idp_user_id = $1',
    [idpUserId],
  );
  return row?.user_id ?? '';
};
const acmeSeats = async () => (await seatsOf(harness)).filter((seat) => seat.startsWith('user_acme'));
const none = { edges: 0, policies: 0 };

test('the preview shows, page by page, the changes that executing then makes; executing again finds nothing to do', async () => {
  expect(await get('/status')).toMatchObject({
    state: 'none',
    migrationId: null,
    pending: { edges: 6, policies: 6 },
  });
  const rows = [];
  for (let next: string | undefined = `${migrationPath}/preview?limit=5`; next; ) {
    const page = await tenancy.call('GET', next, { as: operator });
    rows.push(...page.body);
    next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(rows).toEqual(await get('/preview'));
  expect(rows.map(({ kind, change }) => `${kind} ${change}`)).toEqual([
    ...Array(6).fill('edge convert'),
    ...Array(6).fill('policy create'),
  ]);
  expect(
    (await tenancy.call('GET', `${migrationPath}/preview?before=bm9uc2Vuc2U`, { as: operator })).status,
  ).toBe(400);
  const acme = await tenantOf('org_acme');
  const boss = `user:${await userIdOf('user_acme_boss')}`;
  expect(rows.find(({ subject }) => subject === boss)).toMatchObject({
    tenantId: acme,
    relation: 'admin',
    object: `tenant:${acme}`,
    before: { role: 'admin', source: 'idp', keptSince: null },
    after: { role: 'admin', source: 'api', keptSince: null },
  });
  await execute();
  const made = await harness.asOwner(
    `select tenant_id || ' ' || name || ' ' || text || ' ' || is_enabled || ' ' || origin as policy from tenancy.policies`,
  );
  const previewed = rows.filter(({ kind }) => kind === 'policy');
  expect(new Set(made.map(({ policy }) => policy))).toEqual(
    new Set(
      previewed.map(
        ({ tenantId, after }) => `${tenantId} ${after.name} ${after.text} ${after.enabled} migration`,
      ),
    ),
  );
  expect((await seatsOf(harness)).every((seat) => seat.endsWith(' api'))).toBe(true);
  const status = await get('/status');
  expect(status).toMatchObject({
    state: 'executed',
    pending: none,
    done: { edges: 6, policies: 6 },
    lastError: null,
  });
  const before = await dumpOf(harness);
  expect((await post('execute')).body).toEqual({ ...status, started: false });
  expect(await dumpOf(harness)).toEqual(before);
  expect((await emitted(harness, authorizationChanged)).map(({ tenantId }) => tenantId).sort()).toEqual(
    [acme, await tenantOf('org_beta')].sort(),
  );
});

test('the provider neither changes nor removes migrated rows; a new person is mirrored, and pending', async () => {
  await execute();
  await applier.apply(
    memberSaved('user_acme_one', 'org_acme', 'org:admin', 2000),
    memberDeleted('user_acme_two', 'org_acme', 'org:member', 2000),
    memberSaved('user_acme_boss', 'org_acme', 'org:member', 2000),
    memberSaved('user_acme_new', 'org_acme', 'org:member', 2000),
  );
  expect(await acmeSeats()).toEqual([
    'user_acme_boss admin api',
    'user_acme_new member idp',
    'user_acme_one member api',
    'user_acme_two member api',
  ]);
  await applier.apply(organizationSaved('org_gamma', 2000, 'Gamma', 'user_gamma'));
  // A policy that the run has created and somebody deleted since is not created again.
  await harness.asOwner(`delete from tenancy.policies where tenant_id = $1`, [await tenantOf('org_beta')]);
  expect(await get('/status')).toMatchObject({ state: 'executed', pending: { edges: 2, policies: 3 } });
  const { migrationId } = await get('/status');
  await execute();
  await eventually('it is taken up', async () => (await get('/status')).pending.edges === 0);
  expect(await get('/status')).toMatchObject({ migrationId, pending: none, done: { edges: 8, policies: 9 } });
  await applier.apply(userDeleted('user_acme_new', 3000), organizationDeleted('org_acme', 3000));
  expect(await acmeSeats()).toEqual([
    'user_acme_boss admin api',
    'user_acme_one member api',
    'user_acme_two member api',
  ]);
});

test('rolled back without other changes, every row is restored, kept admins included, and it can be executed again', async () => {
  await mirrorOrganizations(applier, ['kept']);
  await applier.apply(memberDeleted('user_kept_boss', 'org_kept', 'org:admin', 2000));
  // Changed through the API, and not yet looked at by the provider's events.
  await tenancy.call(
    'PUT',
    `/api/bots/tenants/${await tenantOf('org_beta')}/members/${await userIdOf('user_beta_one')}`,
    {
      as: user('user_beta_boss'),
      body: { role: 'admin' },
    },
  );
  const before = await dumpOf(harness);
  expect(await seatsOf(harness)).toContain('user_kept_boss admin idp kept');
  await execute();
  expect(await seatsOf(harness)).toContain('user_kept_boss admin api');
  await rollBack();
  expect(await dumpOf(harness)).toEqual(before);
  expect(await get('/status')).toMatchObject({
    restored: { edges: 9, policies: 9 },
    kept: none,
    pending: { edges: 9, policies: 9 },
  });
  expect((await post('rollback')).status).toBe(409);
  await execute();
  expect(await get('/status')).toMatchObject({
    state: 'executed',
    pending: none,
    done: { edges: 9, policies: 9 },
  });
  await rollBack();
  expect(await dumpOf(harness)).toEqual(before);
});

test('rows that people changed since are not changed, and are listed with the reason', async () => {
  await execute();
  const acme = await tenantOf('org_acme');
  const members = `/api/bots/tenants/${acme}/members`;
  const [one, two] = [await userIdOf('user_acme_one'), await userIdOf('user_acme_two')];
  const as = user('user_acme_boss');
  await tenancy.call('PUT', `${members}/${one}`, { as, body: { role: 'admin' } });
  await tenancy.call('DELETE', `${members}/${two}`, { as });
  await harness.asOwner(
    `update tenancy.policies set text = text || ' ' where tenant_id = $1 and name like 'Members%'`,
    [acme],
  );
  await harness.asOwner(`delete from tenancy.policies where tenant_id = $1 and name like 'Admins%'`, [acme]);
  await rollBack();
  expect(await acmeSeats()).toEqual(['user_acme_boss admin idp', 'user_acme_one admin api']);
  const left = await harness.asOwner('select name from tenancy.policies');
  expect(left).toEqual([{ name: 'Members may read' }]);
  const { kept, keptRows, restored } = await get('/status');
  expect([kept, restored]).toEqual([
    { edges: 2, policies: 2 },
    { edges: 4, policies: 4 },
  ]);
  expect(
    keptRows
      .map(({ subject, reason }: Record<string, string>) => `${subject?.split(':')[0]} ${reason}`)
      .sort(),
  ).toEqual([
    'policy the policy was deleted since',
    'policy the policy was edited since',
    'user the membership was removed since',
    'user the role was changed since',
  ]);
  expect(keptRows.map(({ subject }: Record<string, string>) => subject)).toEqual(
    expect.arrayContaining([`user:${one}`, `user:${two}`]),
  );
});

test("roles that are mirrored again include the provider's changes meanwhile; nobody keeps more than it grants", async () => {
  await execute();
  await applier.apply(
    memberSaved('user_acme_one', 'org_acme', 'org:admin', 2000),
    memberDeleted('user_acme_two', 'org_acme', 'org:member', 2000),
    memberSaved('user_acme_boss', 'org_acme', 'org:member', 2000),
  );
  await rollBack();
  expect(await acmeSeats()).toEqual(['user_acme_boss member idp', 'user_acme_one admin idp']);
  await applier.apply(memberSaved('user_acme_boss', 'org_acme', 'org:admin', 3000));
  expect(await acmeSeats()).toContain('user_acme_boss admin idp');
});

test('policies of their own and tenants of no organization are left alone', async () => {
  const acme = await tenantOf('org_acme');
  await harness.asOwner(
    `insert into tenancy.policies (tenant_id, policy_id, name, text) values ($1, gen_random_uuid(), 'Members may read', 'own')`,
    [acme],
  );
  const own = user('user_own');
  await tenancy.call('POST', '/api/bots/tenants', { as: own, body: { name: 'Own' } });
  const before = await dumpOf(harness);
  expect((await get('/status')).pending).toEqual({ edges: 6, policies: 5 });
  await execute();
  const policies = await harness.asOwner(`select from tenancy.policies where tenant_id = $1`, [acme]);
  expect(policies).toHaveLength(3);
  await rollBack();
  expect(await dumpOf(harness)).toEqual(before);
});

/** Locks a tenant until the returned function is called. */
async function hold(tenantId: string): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const holding = withPlatform(applier.database, 'hold', async (tx) => {
    await lockTenant(tx, tenantId);
    held();
    await released;
  });
  await isHeld;
  const end = () => {
    release();
    return holding.catch(() => undefined);
  };
  releases.push(end);
  return end;
}

test('a tenant that is blocked delays no other; the status shows the reason until it is done', async () => {
  const acme = await tenantOf('org_acme');
  const release = await hold(acme);
  expect((await post('execute')).body).toMatchObject({ state: 'executing', started: true });
  expect((await post('execute')).body).toMatchObject({ state: 'executing', started: false });
  const status = await eventually('it is said, and the other one is done', async () => {
    const progress = await get('/status');
    return progress.lastError !== null && progress.done.edges > 0 && progress;
  });
  expect(status).toMatchObject({
    state: 'executing',
    done: { edges: 3, policies: 3 },
    lastError: `tenant ${acme}: the tenant is busy`,
  });
  await release();
  await reaches(tenancy.call, 'executed');
  expect(await get('/status')).toMatchObject({ pending: none, lastError: null });
});

test('a running execution can be rolled back', async () => {
  const before = await dumpOf(harness);
  const release = await hold(await tenantOf('org_beta'));
  await post('execute');
  await eventually('one is done', async () => (await get('/status')).done.edges === 3);
  await eventually('it is turned', async () => {
    const { status } = await post('rollback');
    expect([202, 503]).toContain(status);
    return status === 202;
  });
  await release();
  await reaches(tenancy.call, 'rolledBack');
  expect(await dumpOf(harness)).toEqual(before);
});

test('while it is rolled back, asking again answers the same run, and executing is 409', async () => {
  await execute();
  const release = await hold(await tenantOf('org_acme'));
  const first = await post('rollback');
  expect([first.status, first.body.started]).toEqual([202, true]);
  const { migrationId } = first.body;
  expect((await post('rollback')).body).toMatchObject({ migrationId, state: 'rollingBack', started: false });
  expect((await post('execute')).status).toBe(409);
  await release();
  await reaches(tenancy.call, 'rolledBack');
});
