import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { eventually } from '@botyard/testing/eventually';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import type { TestService } from '@botyard/testing/service-harness';
import { type Answer, user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { events, type IdpServices, openIdpServices, startTenancy } from '../../idp-services.ts';

const env = {
  MAX_TENANTS_PER_PERSON: '3',
  MAX_BOTS_PER_TENANT: '4',
  MAX_EDGES_PER_TENANT: '8',
  MAX_GROUPS_PER_TENANT: '2',
};
let services: IdpServices;
/** Another process of the service, so that simultaneous requests meet in the database. */
let second: TestService;
let people: People;

beforeAll(async () => {
  services = await openIdpServices(env);
  second = await startTenancy(services.harness, { env });
});
afterAll(() => services?.harness.close());
beforeEach(async () => {
  people = await createTenantWithPeople(services.harness, services.tenancy);
});

const newPerson = () => user(`user_${randomUUID().replaceAll('-', '')}`);
const createTenant = (as: Identity, service = services.tenancy) =>
  service.call('POST', '/api/bots/tenants', { as, body: { name: 'One more' } });
const createBot = (service = services.tenancy) =>
  service.call('POST', `/api/bots/${people.tenantId}/bots`, { as: people.admin, body: { name: 'Support' } });
const tie = (subject: string, object: string, service = services.tenancy) =>
  service.call('POST', '/api/authorization-edges', {
    as: people.admin,
    body: { subject, relation: 'member', object },
  });
const limits = (method: 'GET' | 'PUT', body?: unknown, as: Identity = people.operator) =>
  services.tenancy.call(method, `/api/bots/superadmin/tenants/${people.tenantId}/limits`, { as, body });
async function userIdOf(as: Identity): Promise<string> {
  return (await services.tenancy.call('GET', '/api/current-user', { as })).body.userId;
}
const personLimits = async (method: 'GET' | 'PUT', of: Identity, body?: unknown) =>
  services.tenancy.call(method, `/api/bots/superadmin/users/${await userIdOf(of)}/limits`, {
    as: people.operator,
    body,
  });

/** Sends the same request many times simultaneously, half of them to each process. */
async function atOnce(count: number, send: (service: TestService, number: number) => Promise<Answer>) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      // On a busy machine the answer may be 503: then it is asked again, as anybody would.
      eventually('the database has the time', async () => {
        const answer = await send(number % 2 === 0 ? services.tenancy : second, number);
        return answer.status !== 503 && answer;
      }),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  return { made: answers.length - refused.length, refused };
}

const isRefused = (name: string, limit: number) => ({
  status: 409,
  body: {
    error: expect.stringMatching(new RegExp(`at most ${limit} ${name}: .* ask the operator`)),
  },
});

describe("L-02: a tenant's limits apply, also for simultaneous requests in two processes", () => {
  test('L-02: bots', async () => {
    const { made, refused } = await atOnce(12, (service) => createBot(service));
    expect(made).toBe(4);
    for (const answer of refused) expect(answer).toMatchObject(isRefused('bots', 4));
    expect((await limits('GET')).body.bots).toEqual({ limit: 4, ownLimit: null, defaultLimit: 4, used: 4 });
    const { bots } = (
      await services.tenancy.call('GET', `/api/bots/tenants/${people.tenantId}`, { as: people.admin })
    ).body;
    const path = `/api/bots/${people.tenantId}/${bots[0].botId}`;
    expect((await services.tenancy.call('DELETE', path, { as: people.admin })).status).toBe(204);
    expect((await createBot()).status).toBe(201);
  });

  test('L-02: edges and memberships together, members made as edges too', async () => {
    // The admin and the member are two already.
    const ids = await Promise.all(Array.from({ length: 12 }, () => userIdOf(newPerson())));
    const { made, refused } = await atOnce(12, (service, number) => {
      const userId = ids[number]!;
      if (number % 3 === 0) return tie(`user:${userId}`, 'group:crew', service);
      if (number % 3 === 1) return tie(`user:${userId}`, `tenant:${people.tenantId}`, service);
      const body = { userId, role: 'member' };
      const path = `/api/bots/tenants/${people.tenantId}/members`;
      return service.call('POST', path, { as: people.admin, body });
    });
    expect(made).toBe(6);
    for (const answer of refused) expect(answer).toMatchObject(isRefused('edges', 8));
    expect((await limits('GET')).body.edges).toMatchObject({ limit: 8, used: 8 });
  });

  test('L-02: groups, as a subject or as an object', async () => {
    const { made, refused } = await atOnce(6, (service, number) =>
      number % 2 === 0
        ? tie(`tenant:${people.tenantId}#member`, `group:g${number}`, service)
        : tie(`group:g${number}#member`, `tenant:${people.tenantId}`, service),
    );
    expect(made).toBe(2);
    for (const answer of refused) expect(answer).toMatchObject(isRefused('groups', 2));
    const edges = (await services.tenancy.call('GET', '/api/authorization-edges', { as: people.admin })).body;
    const group = JSON.stringify(edges).match(/group:g\d/)![0];
    // An existing group accepts more members.
    expect((await tie(`user:${await userIdOf(people.member)}`, group)).status).toBe(201);
    // An edge between two new ones needs room for both.
    expect(await tie('group:new1#member', 'group:new2')).toMatchObject(isRefused('groups', 2));
  });

  test("L-02: limits a person's tenants; the person counts as their creator also if another is their admin", async () => {
    const [maker, named] = [newPerson(), newPerson()];
    await userIdOf(named);
    await userIdOf(maker);
    const body = { name: 'For another', initialAdminIdpUserId: (named as { idpUserId: string }).idpUserId };
    const response = await services.tenancy.call('POST', '/api/bots/tenants', { as: maker, body });
    expect(response.status).toBe(201);
    const { made, refused } = await atOnce(8, (service) => createTenant(maker, service));
    expect(made).toBe(2);
    for (const answer of refused) expect(answer).toMatchObject(isRefused('tenants', 3));
    expect((await personLimits('GET', maker)).body.tenants).toMatchObject({ limit: 3, used: 3 });
    expect((await personLimits('GET', named)).body.tenants).toMatchObject({ limit: 3, used: 0 });
    const path = `/api/bots/tenants/${response.body.tenantId}`;
    expect((await services.tenancy.call('DELETE', path, { as: named })).status).toBe(204);
    expect((await createTenant(maker)).status).toBe(201);
  });
});

describe('operators', () => {
  test('L-02: a limit can be lifted for one tenant, lowered, and reset; existing resources stay', async () => {
    for (let number = 0; number < 4; number += 1) expect((await createBot()).status).toBe(201);
    expect((await createBot()).status).toBe(409);
    expect((await limits('PUT', { bots: 5 })).body.bots).toMatchObject({ limit: 5, ownLimit: 5 });
    expect((await createBot()).status).toBe(201);
    expect((await limits('PUT', { bots: 1, groups: 0 })).body).toMatchObject({
      bots: { limit: 1, used: 5 },
      groups: { limit: 0, ownLimit: 0, defaultLimit: 2 },
    });
    expect(await createBot()).toMatchObject(isRefused('bots', 1));
    expect(await tie(`tenant:${people.tenantId}#member`, 'group:g')).toMatchObject(isRefused('groups', 0));
    expect((await limits('PUT', { groups: null })).body).toMatchObject({
      bots: { ownLimit: 1 },
      groups: { limit: 2, ownLimit: null },
    });
  });

  test('L-02: lift a limit for one person', async () => {
    const maker = newPerson();
    expect((await personLimits('PUT', maker, { tenants: 1 })).body.tenants).toMatchObject({ ownLimit: 1 });
    expect((await createTenant(maker)).status).toBe(201);
    expect(await createTenant(maker)).toMatchObject(isRefused('tenants', 1));
    await personLimits('PUT', maker, { tenants: null });
    expect((await createTenant(maker)).status).toBe(201);
  });

  test('have no limit themselves, and the platform has none for its bots', async () => {
    for (let number = 0; number < 5; number += 1) {
      expect((await createTenant(people.operator)).status).toBe(201);
      const body = { name: 'Platform bot' };
      const answer = await services.tenancy.call('POST', '/api/bots/superadmin/bots', {
        as: people.operator,
        body,
      });
      expect(answer.status).toBe(201);
    }
  });

  test('an invalid limit is refused with the reason; other callers may neither see nor set one', async () => {
    for (const body of [{}, { bots: -1 }, { bots: 1.5 }, { bots: '9' }, { edges: 2 ** 60 }, [], null]) {
      const { status, text } = await limits('PUT', body);
      expect([text, status]).toEqual([text, 400]);
    }
    expect((await personLimits('PUT', people.admin, {})).status).toBe(400);
    for (const as of [people.admin, people.member, people.stranger]) {
      expect((await limits('GET', undefined, as)).status).toBe(403);
      expect((await limits('PUT', { bots: 9 }, as)).status).toBe(403);
    }
    for (const [kind, body] of [
      ['tenants', { bots: 1 }],
      ['users', { tenants: 1 }],
    ] as const) {
      const path = `/api/bots/superadmin/${kind}/${randomUUID()}/limits`;
      const call = (method: string, more = {}) =>
        services.tenancy.call(method, path, { as: people.operator, ...more });
      expect((await call('GET')).status).toBe(404);
      expect((await call('PUT', { body })).status).toBe(404);
    }
  });
});

test('L-02: resources from the identity provider are never refused, and count', async () => {
  const anna = `user_anna_${randomUUID().slice(0, 8)}`;
  const at = 1_795_200_000_000;
  await services.tell(events.user(anna, at));
  const organizations = Array.from({ length: 4 }, (_, number) => `org_${number}_${randomUUID().slice(0, 8)}`);
  for (const id of organizations) await services.tell(events.organization(id, at, id, anna));
  const reached = await services.reachOf(anna);
  expect(reached).toHaveLength(4);
  expect(await createTenant(user(anna))).toMatchObject(isRefused('tenants', 3));
  const [first] = organizations;
  const others = Array.from({ length: 9 }, (_, number) => `user_${number}_${randomUUID().slice(0, 8)}`);
  for (const id of others)
    await services.tell(events.user(id, at), events.membership([id, first!, 'org:member'], at));
  const [tenant] = await services.reachOf(others[8]!);
  const path = `/api/bots/superadmin/tenants/${tenant?.tenantId}/limits`;
  const { body } = await services.tenancy.call('GET', path, { as: people.operator });
  expect(body.edges).toMatchObject({ limit: 8, used: 10 });
});
