import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, type IdpServices, openIdpServices } from '../../idp-services.ts';

let services: IdpServices;
const t0 = 1_795_200_000_000;
beforeAll(async () => {
  services = await openIdpServices();
});
afterAll(() => services?.harness.close());

const id = (name: string) => `${name}_${randomUUID().slice(0, 8)}`;
const operator = user(id('user_operator'), { isOperator: true });
const statusOf = async (idpUserId: string) =>
  (await services.tenancy.call('GET', '/api/dashboard/status', { as: user(idpUserId) })).body;
const ofOperators = async () => {
  const { status, body } = await services.tenancy.call('GET', '/api/config/status', { as: operator });
  expect(status).toBe(200);
  return body.adminsKeptAfterLeaving;
};

/** An organization whose only admin has left. */
async function abandoned() {
  const [anna, ravi, acme] = [id('user_anna'), id('user_ravi'), id('org')];
  await services.tell(
    events.membership([anna, acme, 'org:admin'], t0),
    events.membership([ravi, acme, 'org:member'], t0),
  );
  const { tenantId } = (await services.reachOf(anna))[0]!;
  const { body } = await services.tenancy.call('GET', '/api/current-user', { as: user(anna) });
  expect(await statusOf(anna)).toMatchObject({ adminsKeptAfterLeaving: [], problems: [] });
  await services.tell(events.membership([anna, acme, 'org:admin'], t0 + 1000, 'deleted'));
  return { anna, ravi, acme, tenantId, userId: body.userId as string };
}

test('I-14: a last admin who has left and is kept shows in the tenant and to operators, until there is another', async () => {
  expect(await ofOperators()).toEqual({ count: 0, longest: [] });
  const first = await abandoned();
  const second = await abandoned();
  const keptSince = expect.stringMatching(/^20.*Z$/);
  const status = await statusOf(first.anna);
  expect(status.adminsKeptAfterLeaving).toEqual([{ userId: first.userId, keptSince }]);
  expect(status.problems).toEqual([{ kind: 'adminsKeptAfterLeaving', count: 1 }]);
  const listed = await services.tenancy.call('GET', '/api/dashboard/tenants/status', {
    as: user(first.anna),
  });
  expect(listed.body).toMatchObject([{ adminsKeptAfterLeaving: status.adminsKeptAfterLeaving }]);
  expect(await ofOperators()).toEqual({
    count: 2,
    longest: [
      { tenantId: first.tenantId, userId: first.userId, keptSince },
      { tenantId: second.tenantId, userId: second.userId, keptSince },
    ],
  });
  await services.tell(events.membership([first.ravi, first.acme, 'org:admin'], t0 + 2000, 'updated'));
  expect(await statusOf(first.ravi)).toMatchObject({ adminsKeptAfterLeaving: [], problems: [] });
  expect(await ofOperators()).toMatchObject({ count: 1, longest: [{ tenantId: second.tenantId }] });
  expect((await services.tenancy.call('GET', '/api/config/status', { as: user(first.ravi) })).status).toBe(
    403,
  );
});

describe('I-14: an admin who is named through the API ends the role of the one who was kept', () => {
  const membersOf = (tenantId: string) =>
    services.harness.asOwner(
      `select u.idp_user_id, m.role, m.kept_since is not null as is_kept from tenancy.memberships m
       join tenancy.users u using (user_id) where m.tenant_id = $1 order by 1`,
      [tenantId],
    );
  const nameAdmin = async (tenantId: string, idpUserId: string) => {
    const { body } = await services.tenancy.call('GET', '/api/current-user', { as: user(idpUserId) });
    const members = `/api/bots/tenants/${tenantId}/members`;
    const isMember = body.tenants.some((one: { tenantId: string }) => one.tenantId === tenantId);
    const [method, path] = isMember ? ['PUT', `${members}/${body.userId}`] : ['POST', members];
    const change = isMember ? { role: 'admin' } : { role: 'admin', userId: body.userId };
    expect((await services.tenancy.call(method, path, { as: operator, body: change })).status).toBeLessThan(
      300,
    );
  };
  const others = (tenantId: string) =>
    eventually('nobody is kept', async () => {
      const members = await membersOf(tenantId);
      return !members.some((one) => (one as { is_kept: boolean }).is_kept) && members;
    });

  test('one who left the organization loses all access', async () => {
    const { anna, ravi, tenantId } = await abandoned();
    await nameAdmin(tenantId, ravi);
    expect(await others(tenantId)).toEqual([{ idp_user_id: ravi, role: 'admin', is_kept: false }]);
    expect(await services.reachOf(anna)).toEqual([]);
    expect(await statusOf(ravi)).toMatchObject({ adminsKeptAfterLeaving: [], problems: [] });
  });

  test('one who was demoted there is a member', async () => {
    const [anna, ravi, acme] = [id('user_anna'), id('user_ravi'), id('org')];
    await services.tell(events.membership([anna, acme, 'org:admin'], t0));
    const { tenantId } = (await services.reachOf(anna))[0]!;
    await services.tell(events.membership([anna, acme, 'org:member'], t0 + 1000, 'updated'));
    expect(await services.reachOf(anna)).toEqual([{ tenantId, role: 'admin' }]);
    await nameAdmin(tenantId, ravi);
    await others(tenantId);
    expect(await services.reachOf(anna)).toEqual([{ tenantId, role: 'member' }]);
  });

  test('a deleted one leaves a tenant of the API', async () => {
    const [anna, ravi] = [id('user_anna'), id('user_ravi')];
    const body = { name: 'Own' };
    const { tenantId } = (await services.tenancy.call('POST', '/api/bots/tenants', { as: user(anna), body }))
      .body;
    await services.tell(events.userDeleted(anna, t0));
    expect(await membersOf(tenantId)).toEqual([{ idp_user_id: anna, role: 'admin', is_kept: true }]);
    await nameAdmin(tenantId, ravi);
    expect(await others(tenantId)).toEqual([{ idp_user_id: ravi, role: 'admin', is_kept: false }]);
  });
});
