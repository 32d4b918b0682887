import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import type { TestService } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTenancyServices, startAgents, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let agents: TestService;

beforeAll(async () => {
  services = await openTenancyServices();
  agents = await startAgents(services.harness);
});

afterAll(() => services?.close());

const newId = () => `user_${randomUUID().replaceAll('-', '')}`;

async function createTenants(as: Identity, count: number): Promise<string[]> {
  const tenantIds: string[] = [];
  while (tenantIds.length < count) {
    const answer = await services.tenancy.call('POST', '/api/bots/tenants', { as, body: { name: 'T' } });
    tenantIds.push(answer.body.tenantId);
  }
  return tenantIds;
}

const select = (as: Identity, tenantId: unknown) =>
  services.tenancy.call('POST', '/api/tenant/select', { as, body: { tenantId } });
const currentUser = (as: Identity) => services.tenancy.call('GET', '/api/current-user', { as });
const activeTenant = async (as: Identity) => (await currentUser(as)).body.activeTenantId;

/** Maps an organization of the identity provider to a tenant, as its events will do. */
const mapOrganization = (orgId: string, tenantId: string) =>
  services.harness.asOwner('update tenancy.tenants set idp_org_id = $1 where tenant_id = $2', [
    orgId,
    tenantId,
  ]);

describe('GET /api/current-user', () => {
  test('creates a person at first sight from the claims, and knows them from then on', async () => {
    const idpUserId = newId();
    const claims = { ...user(idpUserId), email: 'anna@example.test', name: 'Anna' } as Identity;
    const [first, again] = await Promise.all([currentUser(claims), currentUser(claims)]);
    expect(first.body).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      idpUserId,
      email: 'anna@example.test',
      isOperator: false,
      activeTenantId: null,
      tenants: [],
    });
    expect(again.body).toEqual(first.body);
    expect((await currentUser(user(idpUserId))).body.email).toBe('anna@example.test');
  });

  test('answers 401 to a person who was deleted', async () => {
    const person = user(newId());
    const { body } = await currentUser(person);
    await services.harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [
      body.userId,
    ]);
    expect((await currentUser(person)).status).toBe(401);
  });
});

describe('selecting a tenant', () => {
  test('answers 403 for a foreign tenant, and the same for a missing one', async () => {
    const { acme, other } = services;
    const answers = [await select(acme.admin, other.tenantId), await select(acme.admin, randomUUID())];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(answer.text).toBe(answers[0]?.text);
    }
    expect((await select(acme.operator, randomUUID())).status).toBe(403);
    expect((await select(acme.admin, 'nope')).status).toBe(400);
  });

  test('applies to this session of this person and to no other', async () => {
    const person = user(newId()) as Identity & { kind: 'user' };
    const [first, second] = await createTenants(person, 2);
    expect(await select(person, first)).toMatchObject({ status: 200, body: { activeTenantId: first } });
    expect(await activeTenant(person)).toBe(first);
    expect(await activeTenant({ ...person, sessionId: 'sess_another' })).toBeNull();
    const thief = { ...(user(newId()) as Identity & { kind: 'user' }), sessionId: person.sessionId };
    expect(await activeTenant(thief)).toBeNull();
    await select(person, second);
    expect(await activeTenant(person)).toBe(second);
  });

  test('an operator may select any tenant that exists', async () => {
    const { acme, other } = services;
    expect((await select(acme.operator, other.tenantId)).status).toBe(200);
    expect(await activeTenant(acme.operator)).toBe(other.tenantId);
  });
});

describe('the active tenant of a route without one in its path', () => {
  const list = (as: Identity) => agents.call('GET', '/api/definitions/agents', { as });

  async function createAgentIn(as: Identity): Promise<string> {
    const body = { name: 'Agent', instructions: 'Help.', provider: 'private-llm', model: 'default' };
    return (await agents.call('POST', '/api/definitions/agents', { as, body })).body.tenantId;
  }

  test('is the selected one, else the one of the token, else the only one', async () => {
    const idpUserId = newId();
    const person = user(idpUserId);
    const [only] = await createTenants(person, 1);
    expect(await createAgentIn(person)).toBe(only);
    const [ofTheToken] = await createTenants(person, 1);
    const org = { id: `org_${randomUUID()}`, role: 'org:admin' };
    await mapOrganization(org.id, ofTheToken!);
    expect(await createAgentIn(user(idpUserId, { org }))).toBe(ofTheToken);
    await select(person, only);
    expect(await createAgentIn(user(idpUserId, { org }))).toBe(only);
  });

  test('is missing with several tenants and none selected: 400 that explains how to select one', async () => {
    const person = user(newId());
    await createTenants(person, 2);
    const answer = await list(person);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('POST /api/tenant/select');
    expect((await list(user(newId()))).status).toBe(400);
  });

  test('is always one that the caller can reach, for any organization in the token', async () => {
    const org = { id: `org_${randomUUID()}`, role: 'org:admin' };
    await mapOrganization(org.id, services.acme.tenantId);
    expect((await list(user(newId(), { org }))).status).toBe(400);
  });

  test('is no longer the selected one once the membership is deleted', async () => {
    const person = user(newId());
    const [kept, lost] = await createTenants(person, 2);
    await select(person, lost);
    // A tenant always has an admin: somebody else is it from now on.
    const heir = newId();
    await activeTenant(user(heir));
    await services.harness.asOwner(
      `update tenancy.memberships set user_id = (select user_id from tenancy.users where idp_user_id = $2)
       where tenant_id = $1`,
      [lost, heir],
    );
    expect(await activeTenant(person)).toBe(kept);
  });

  test('is never selected by a tenantId in query or body', async () => {
    const { acme, other } = services;
    const body = {
      name: 'Agent',
      instructions: 'Help.',
      provider: 'private-llm',
      model: 'default',
      tenantId: other.tenantId,
    };
    const path = `/api/definitions/agents?tenantId=${other.tenantId}`;
    const created = await agents.call('POST', path, { as: acme.admin, body });
    expect(created.body.tenantId).toBe(acme.tenantId);
    const listed = await agents.call('GET', path, { as: other.admin });
    expect(listed.body).toEqual([]);
  });
});
