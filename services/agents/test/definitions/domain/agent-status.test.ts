import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, Chat, openAgentsServices, startAgents } from '../../agents-services.ts';
import { createTeam, type Team } from '../../routing/domain/team.ts';

let services: AgentsServices;
let team: Team;

beforeAll(async () => {
  services = await openAgentsServices();
  await startAgents(services);
  team = await createTeam(services);
});

afterAll(() => services?.close());

const setStatus = (agentId: string, enabled: boolean, as = services.acme.operator) =>
  services.agents.call('PATCH', `/api/agents/${agentId}/status`, { as, body: { enabled } });

/** An operator who has the platform itself as the active tenant. */
async function operatorOfPlatform(): Promise<Identity> {
  const as = user(`user_${randomUUID()}`, { isOperator: true });
  const body = { tenantId: platformTenantId };
  expect((await services.tenancy.call('POST', '/api/tenant/select', { as, body })).status).toBe(200);
  return as;
}

test('a disabled agent answers no message after the response to the request, in any instance, until it is enabled', async () => {
  const chats = Array.from({ length: 12 }, () => new Chat(services, team));
  const speakers = async (count: number) =>
    (await Promise.all(chats.map((chat) => chat.answers(count)))).map(
      (texts) => texts[count - 1]?.split(':')[0],
    );
  const ask = () => Promise.all(chats.map((chat) => chat.say('it is broken')));
  await ask();
  expect(new Set(await speakers(1))).toEqual(new Set(['Repair']));
  const changed = await setStatus(team.repair, false);
  expect(changed).toMatchObject({ status: 200, body: { agentId: team.repair, enabled: false } });
  await ask();
  expect(new Set(await speakers(2))).toEqual(new Set(['Sales']));
  await setStatus(team.repair, true);
  await ask();
  expect(new Set(await speakers(3))).toEqual(new Set(['Repair']));
});

test('an answer that is being made when its agent is disabled is given', async () => {
  const chat = new Chat(services, team);
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('a refund, please');
  await nextRequest;
  await setStatus(team.billing, false);
  services.model.release();
  expect(await chat.answers(1)).toEqual(['Billing: a refund, please']);
  await setStatus(team.billing, true);
});

test("an admin switches the agents of their own tenants; another tenant's, the platform's and a missing one look alike", async () => {
  const platforms = await services.agents.call('POST', '/api/definitions/agents', {
    as: await operatorOfPlatform(),
    body: { name: 'House', instructions: 'Help.', provider: 'private-llm', model: 'default' },
  });
  expect(platforms.status).toBe(201);
  const answer = await setStatus(team.sales, false, services.acme.admin);
  expect(answer).toMatchObject({ status: 200, body: { agentId: team.sales, enabled: false } });
  expect((await setStatus(team.sales, true, services.acme.admin)).body.enabled).toBe(true);
  const refusals = [
    await setStatus(team.sales, false, services.other.admin),
    await setStatus(platforms.body.id, false, services.acme.admin),
    await setStatus(randomUUID(), false, services.acme.admin),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
  for (const as of [services.acme.member, services.acme.stranger])
    expect((await setStatus(team.sales, false, as)).status).toBe(403);
  expect((await setStatus(platforms.body.id, true)).status).toBe(200);
});

test('a member who administers another tenant sees the agent, and may not switch it', async () => {
  const idpUserId = `user_${randomUUID()}`;
  const as = user(idpUserId);
  const own = await services.tenancy.call('POST', '/api/bots/tenants', { as, body: { name: 'Own' } });
  expect(own.status).toBe(201);
  const joined = await services.tenancy.call('POST', `/api/bots/tenants/${team.tenantId}/members`, {
    as: services.acme.admin,
    body: { idpUserId, role: 'member' },
  });
  expect(joined.status).toBe(201);
  expect((await setStatus(team.sales, false, as)).status).toBe(403);
});

test('an operator switches the agents of any tenant, and it is logged', async () => {
  expect((await setStatus(team.sales, true, services.other.operator)).status).toBe(200);
  expect((await setStatus(randomUUID(), false)).status).toBe(404);
  const audit = services.harness.logLines.filter((line) => line.includes('changed the status of an agent'));
  expect(audit.some((line) => line.includes(team.tenantId) && line.includes(team.sales))).toBe(true);
});

test("a change of an agent's description applies immediately; a cached one is invalidated by a refresh, everywhere", async () => {
  const preview = async () =>
    (
      await services.agents.call('POST', '/api/agents/triage-preview', {
        as: services.acme.member,
        body: { message: 'saxophone', botId: team.botId },
      })
    ).body.agentId;
  const learn = (keyword: string, version: string) =>
    services.harness.asOwner(
      `update agents.agent_definitions set keywords = array[$2], version = ${version} where id = $1`,
      [team.billing, keyword],
    );
  expect(await preview()).toBe(team.sales);
  await learn('saxophone', 'version + 1');
  expect(await preview()).toBe(team.billing);
  await learn('refund', 'version');
  expect(await preview()).toBe(team.billing);
  const refreshed = await services.agents.call('POST', '/api/agents/registry/refresh', {
    as: services.acme.admin,
  });
  expect(refreshed.body).toMatchObject({ agents: 3, enabled: 3, bots: 1, capabilities: 0, missingAgents: 0 });
  await eventually('it is forgotten', async () => (await preview()) === team.sales, beforeItExpires);
});

test("a refresh belongs to the tenant: it reports only the tenant's own agents", async () => {
  const answer = await services.agents.call('POST', '/api/agents/registry/refresh', {
    as: services.other.admin,
  });
  expect(answer.body).toMatchObject({ agents: 0, bots: 0 });
});
