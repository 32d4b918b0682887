import { randomUUID } from 'node:crypto';
import { accessChanged } from '@botyard/contracts/events/tenancy';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { events, type IdpServices, openIdpServices } from '../../idp-services.ts';

let services: IdpServices;
const t0 = 1_795_200_000_000;
/** People and an organization of each test's own. */
let anna: string;
let ravi: string;
let acme: string;

beforeAll(async () => {
  services = await openIdpServices();
});

afterAll(() => services?.harness.close());

beforeEach(() => {
  const suffix = randomUUID().slice(0, 8);
  [anna, ravi, acme] = [`user_anna_${suffix}`, `user_ravi_${suffix}`, `org_${suffix}`];
});

const seatsOf = (orgId: string) =>
  services.harness.asOwner(
    `select u.idp_user_id, m.role, m.source, m.kept_since is not null as is_kept from tenancy.memberships m
     join tenancy.users u using (user_id) join tenancy.idp_organizations o on o.made_tenant_id = m.tenant_id
     where o.idp_org_id = $1 order by 1`,
    [orgId],
  );

const tenantOf = async (idpUserId: string): Promise<string> => {
  const [first] = await services.reachOf(idpUserId);
  if (!first) throw new Error(`${idpUserId} reaches nothing`);
  return first.tenantId;
};

const members = (tenantId: string) => `/api/bots/tenants/${tenantId}/members`;

test('a new organization is a tenant, whose creator is its admin; renaming it renames the tenant', async () => {
  const { tell, reachOf, tenancy } = services;
  await tell(events.organization(acme, t0, 'Acme GmbH', anna));
  expect(await reachOf(anna)).toEqual([{ tenantId: expect.any(String), role: 'admin' }]);
  const path = `/api/bots/tenants/${await tenantOf(anna)}`;
  expect((await tenancy.call('GET', path, { as: user(anna) })).body.name).toBe('Acme GmbH');
  await tell(events.organization(acme, t0 + 60_000, 'Acme SE', anna));
  await tell(events.organization(acme, t0 + 30_000, 'Acme OLD', anna));
  expect((await tenancy.call('GET', path, { as: user(anna) })).body.name).toBe('Acme SE');
});

test("the token's organization selects its tenant as the active one", async () => {
  await services.tell(events.organization(acme, t0, 'Acme', anna));
  await services.tenancy.call('POST', '/api/bots/tenants', { as: user(anna), body: { name: 'Own' } });
  const session = user(anna, { org: { id: acme, role: 'org:admin' } });
  const { body } = await services.tenancy.call('GET', '/api/current-user', { as: session });
  const [mapped] = await services.harness.asOwner<{ tenant_id: string }>(
    'select tenant_id from tenancy.tenants where idp_org_id = $1',
    [acme],
  );
  expect(body.tenants).toHaveLength(2);
  expect(body.activeTenantId).toBe(mapped?.tenant_id);
});

test('a tenant is made as soon as its first admin is known, and not before', async () => {
  const { tell, reachOf } = services;
  await tell(events.organization(acme, t0, 'Acme'), events.membership([ravi, acme, 'org:member'], t0));
  expect(await reachOf(ravi)).toEqual([]);
  await tell(events.membership([anna, acme, 'org:admin'], t0));
  expect((await reachOf(ravi)).map(({ role }) => role)).toEqual(['member']);
  expect((await reachOf(anna)).map(({ role }) => role)).toEqual(['admin']);
});

test('a membership before its person and organization works; the person gets their name and address later', async () => {
  const { tell, harness } = services;
  await tell(events.membership([anna, acme, 'org:admin'], t0));
  const person = () =>
    harness.asOwner('select name, email, deleted_at from tenancy.users where idp_user_id = $1', [anna]);
  expect(await person()).toEqual([{ name: anna, email: null, deleted_at: null }]);
  await tell(events.user(anna, t0 - 1000), events.organization(acme, t0, 'Acme', anna));
  expect(await person()).toEqual([{ name: anna, email: `${anna}@example.com`, deleted_at: null }]);
  expect((await services.reachOf(anna)).map(({ role }) => role)).toEqual(['admin']);
});

test('legacy names of roles keep their meaning; any unknown one is a member', async () => {
  const { tell, reachOf } = services;
  const roles = [
    'admin',
    'org:admin',
    'basic_member',
    'guest_member',
    'org:member',
    'org:billing',
    'Admin',
    '',
  ];
  await tell(...roles.map((role, index) => events.membership([`${anna}_${index}`, acme, role], t0)));
  const tenantRoles = await Promise.all(
    roles.map(async (_, index) => (await reachOf(`${anna}_${index}`))[0]?.role),
  );
  expect(tenantRoles).toEqual(['admin', 'admin', 'member', 'member', 'member', 'member', 'member', 'member']);
});

test('a person who left an organization loses its tenant, and regains it when they return', async () => {
  const { tell, reachOf } = services;
  await tell(
    events.membership([anna, acme, 'org:admin'], t0),
    events.membership([ravi, acme, 'org:member'], t0),
    events.membership([ravi, acme, 'org:member'], t0 + 5000, 'deleted'),
  );
  expect(await reachOf(ravi)).toEqual([]);
  await tell(events.membership([ravi, acme, 'org:admin'], t0 + 9000, 'updated'));
  expect(await reachOf(ravi)).toEqual([]);
  const back = events.membership([ravi, acme, 'org:member'], t0 + 9000);
  await tell({ ...back, data: { ...back.data, id: `orgmem_back_${ravi}` } });
  expect((await reachOf(ravi)).map(({ role }) => role)).toEqual(['member']);
});

test('I-14: the last admin is neither removed nor demoted: kept, readable, logged, and released when there is another', async () => {
  const { tell, harness } = services;
  await tell(
    events.membership([anna, acme, 'org:admin'], t0),
    events.membership([ravi, acme, 'org:member'], t0),
  );
  const kept = [
    { idp_user_id: anna, role: 'admin', source: 'idp', is_kept: true },
    { idp_user_id: ravi, role: 'member', source: 'idp', is_kept: false },
  ];
  await tell(events.membership([anna, acme, 'org:member'], t0 + 1000, 'updated'));
  expect(await seatsOf(acme)).toEqual(kept);
  await tell(events.membership([anna, acme, 'org:member'], t0 + 2000, 'deleted'));
  expect(await seatsOf(acme)).toEqual(kept);
  const tenantId = await tenantOf(anna);
  const warnings = harness.logLines.filter(
    (line) => line.includes(tenantId) && line.includes('kept the last admin'),
  );
  expect(warnings).toHaveLength(1);
  await tell(events.membership([ravi, acme, 'org:admin'], t0 + 3000, 'updated'));
  expect(await seatsOf(acme)).toEqual([{ idp_user_id: ravi, role: 'admin', source: 'idp', is_kept: false }]);
});

test('a deleted organization is mapped to nothing; its tenant stays with its last admin', async () => {
  const { tell, reachOf, harness } = services;
  await tell(
    events.organization(acme, t0, 'Acme', anna),
    events.membership([ravi, acme, 'org:admin'], t0),
    events.organizationDeleted(acme, t0 + 1000),
  );
  expect((await reachOf(anna)).map(({ role }) => role)).toEqual(['admin']);
  expect(await reachOf(ravi)).toEqual([]);
  expect(await harness.asOwner('select from tenancy.tenants where idp_org_id = $1', [acme])).toEqual([]);
  await tell(
    events.organization(acme, t0 + 500, 'Late', anna),
    events.membership([ravi, acme, 'org:admin'], t0 + 600),
  );
  expect(await reachOf(ravi)).toEqual([]);
  expect(await reachOf(anna)).toHaveLength(1);
});

test('an organization that is known to be deleted gets no tenant', async () => {
  await services.tell(
    events.organizationDeleted(acme, t0 + 1000),
    events.organization(acme, t0, 'Late', anna),
  );
  expect(await services.reachOf(anna)).toEqual([]);
});

test('a tenant that was deleted through our API is not restored', async () => {
  const { tell, tenancy, reachOf } = services;
  await tell(events.organization(acme, t0, 'Acme', anna));
  const path = `/api/bots/tenants/${await tenantOf(anna)}`;
  expect((await tenancy.call('DELETE', path, { as: user(anna) })).status).toBe(204);
  await tell(
    events.organization(acme, t0 + 1000, 'Acme', anna),
    events.membership([anna, acme, 'org:admin'], t0),
  );
  expect(await reachOf(anna)).toEqual([]);
});

test('a later event does not undo a decision that was made through our API', async () => {
  const { tell, tenancy, reachOf } = services;
  await tell(
    events.membership([anna, acme, 'org:admin'], t0),
    events.membership([ravi, acme, 'org:member'], t0),
  );
  const tenantId = await tenantOf(anna);
  const { body: listed } = await tenancy.call('GET', members(tenantId), { as: user(anna) });
  const idOf = (idpUserId: string) =>
    listed.find((one: { idpUserId: string }) => one.idpUserId === idpUserId).userId as string;
  const change = { as: user(anna), body: { role: 'admin' } };
  expect((await tenancy.call('PUT', `${members(tenantId)}/${idOf(ravi)}`, change)).status).toBe(200);
  await tell(events.membership([anna, acme, 'org:admin'], t0 + 1000, 'updated'));
  expect((await reachOf(ravi))[0]?.role).toBe('admin');
  const gone = await tenancy.call('DELETE', `${members(tenantId)}/${idOf(anna)}`, { as: user(ravi) });
  expect(gone.status).toBe(204);
  await tell(events.membership([anna, acme, 'org:admin'], t0 + 2000, 'updated'));
  expect(await reachOf(anna)).toEqual([]);
  const guest = `${ravi}_guest`;
  await tenancy.call('GET', '/api/current-user', { as: user(guest) });
  const added = { as: user(ravi), body: { idpUserId: guest, role: 'member' } };
  expect((await tenancy.call('POST', members(tenantId), added)).status).toBe(201);
  await tell(
    events.membership([guest, acme, 'org:admin'], t0 + 3000),
    events.membership([guest, acme, 'org:admin'], t0 + 4000, 'deleted'),
  );
  expect((await reachOf(guest))[0]?.role).toBe('member');
});

test("P11: a deleted person's living session is 401 once that is announced, in another service too; nothing brings them back", async () => {
  const { tell, tenancy, keys, reachOf, harness } = services;
  const boss = `${anna}_boss`;
  await tell(
    events.user(anna, t0),
    events.membership([anna, acme, 'org:admin'], t0),
    events.membership([boss, acme, 'org:admin'], t0),
  );
  const path = `/api/keys/${await tenantOf(anna)}`;
  expect((await keys.call('GET', path, { as: user(anna) })).status).toBe(200);
  await tell(events.userDeleted(anna, t0 + 1000));
  await eventually(
    '401 in keys',
    async () => (await keys.call('GET', path, { as: user(anna) })).status === 401,
    beforeItExpires,
  );
  const current = () => tenancy.call('GET', '/api/current-user', { as: user(anna) });
  expect((await current()).status).toBe(401);
  await tell(
    events.user(anna, t0 + 9000, 'user.updated'),
    events.membership([anna, acme, 'org:admin'], t0 + 9000),
  );
  expect((await current()).status).toBe(401);
  expect((await seatsOf(acme)).map((seat) => seat.idp_user_id)).toEqual([boss]);
  expect((await reachOf(boss))[0]?.role).toBe('admin');
  expect(
    await harness.asOwner('select name, email from tenancy.users where idp_user_id = $1', [anna]),
  ).toEqual([{ name: null, email: null }]);
});

test('a deleted last admin, whose row is kept, is 401 everywhere as well', async () => {
  const { tell, keys } = services;
  await tell(events.organization(acme, t0, 'Acme', anna));
  const path = `/api/keys/${await tenantOf(anna)}`;
  const status = async () => (await keys.call('GET', path, { as: user(anna) })).status;
  expect(await status()).toBe(200);
  await tell(events.userDeleted(anna, t0 + 1000));
  await eventually('401 in keys', async () => (await status()) === 401, beforeItExpires);
  expect(await seatsOf(acme)).toEqual([{ idp_user_id: anna, role: 'admin', source: 'idp', is_kept: true }]);
});

test('a deleted person leaves the tenants of our API too, but for one whose last admin they were', async () => {
  const { tell, tenancy, harness } = services;
  const create = (as: string, name: string) =>
    tenancy.call('POST', '/api/bots/tenants', { as: user(as), body: { name } });
  const own = (await create(anna, 'Own')).body.tenantId as string;
  const shared = (await create(ravi, 'Shared')).body.tenantId as string;
  const body = { idpUserId: anna, role: 'admin' };
  await tenancy.call('POST', members(shared), { as: user(ravi), body });
  await tell(events.userDeleted(anna, t0));
  const rows = await harness.asOwner(
    `select m.tenant_id, m.kept_since is not null as is_kept from tenancy.memberships m
     join tenancy.users u using (user_id) where u.idp_user_id = $1`,
    [anna],
  );
  expect(rows).toEqual([{ tenant_id: own, is_kept: true }]);
  const operator = user(`${ravi}_operator`, { isOperator: true });
  const { body: people } = await tenancy.call('GET', '/api/users?limit=500', { as: operator });
  expect(people.map(({ idpUserId }: { idpUserId: string }) => idpUserId)).not.toContain(anna);
});

test('a deletion without an identifier, or for an unknown person, deletes nobody', async () => {
  const { tell, harness } = services;
  await tell(events.user(anna, t0));
  const living = () => harness.asOwner('select from tenancy.users where deleted_at is null');
  const before = (await living()).length;
  await tell(
    { type: 'user.deleted', timestamp: t0, data: { deleted: true } },
    events.userDeleted(`${ravi}_x`, t0),
  );
  expect((await living()).length).toBe(before);
});

test('every person whose reach changes is announced, and no other', async () => {
  const { tell, harness } = services;
  const announced = async () => {
    const rows = await harness.asOwner<{ data: string }>(
      `select data from tenancy.outbox where subject like $1 and (data like $2 or data like $3) order by id`,
      [`%.event.${accessChanged.name}.%`, `%${anna}%`, `%${ravi}%`],
    );
    return rows.map(({ data }) => JSON.parse(data).idpUserId as string);
  };
  await tell(events.membership([anna, acme, 'org:admin'], t0), events.user(anna, t0));
  expect(await announced()).toEqual([anna]);
  await tell(events.membership([ravi, acme, 'org:member'], t0), events.organization(acme, t0, 'Acme'));
  expect(await announced()).toEqual([anna, ravi]);
  await tell(events.membership([ravi, acme, 'org:admin'], t0 + 1000, 'updated'));
  expect(await announced()).toEqual([anna, ravi, ravi]);
  await tell(events.organizationDeleted(acme, t0 + 2000));
  expect(new Set((await announced()).slice(3))).toEqual(new Set([anna, ravi]));
});

test('every event is retried without limit', async () => {
  expect(await services.harness.asOwner('select * from tenancy.dead_letters')).toEqual([]);
  expect(await services.harness.asOwner('select * from tenancy.consumer_failures')).toEqual([]);
});
