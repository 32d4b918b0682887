import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices } from '../../agents-services.ts';
import { Definitions } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
});

afterAll(() => services?.close());

test('the health of definitions counts them and names those that will not work, with the reason', async () => {
  const tool = await acme.tool({ name: 'sums' });
  const capability = await acme.capability({ name: 'Counting', toolIds: [tool.id] });
  const agent = await acme.agent({ name: 'Clerk', toolIds: [tool.id], capabilityIds: [capability.id] });
  const bot = await createBot(services, services.acme, { agentIds: [agent.id], name: 'Desk' });
  await services.harness.settled('agents', 'tenancy');
  await acme.post(`/agents/${agent.id}/publish`);
  const counts = { agents: 1, capabilities: 1, tools: 1, published: 1 };
  expect(await acme.get('/health')).toEqual({ status: 'ok', counts, problems: [] });
  const spoil = (text: string, id: string) => services.harness.asOwner(text, [id]);
  await spoil(`update agents.tool_definitions set kind = 'gone' where id = $1`, tool.id);
  const problem = 'its settings do not fit its kind any longer: give it new ones';
  expect(await acme.get('/health')).toEqual({
    status: 'degraded',
    counts,
    problems: [{ kind: 'tool', id: tool.id, name: 'sums', problem }],
  });
  await spoil('delete from agents.tool_definitions where id = $1', tool.id);
  const toolIsGone = 'refers to a tool that no longer exists';
  expect((await acme.get('/health')).problems).toEqual([
    { kind: 'agent', id: agent.id, name: 'Clerk', problem: toolIsGone },
    { kind: 'capability', id: capability.id, name: 'Counting', problem: toolIsGone },
  ]);
  await spoil('delete from agents.agent_definitions where id = $1', agent.id);
  expect((await acme.get('/health')).problems).toContainEqual({
    kind: 'bot',
    id: bot.botId,
    name: 'Desk',
    problem: 'refers to an agent that no longer exists',
  });
  expect((await new Definitions(services, services.other).get('/health')).problems).toEqual([]);
});

test("the platform's definitions can be published by operators and copied by everybody", async () => {
  const operator = user('user_platform_operator', { isOperator: true });
  const selected = await services.tenancy.call('POST', '/api/tenant/select', {
    as: operator,
    body: { tenantId: platformTenantId },
  });
  expect(selected.status).toBe(200);
  const platform = new Definitions(services, { ...services.acme, admin: operator });
  const { id, tenantId } = await platform.agent({ name: 'Of the house' });
  expect(tenantId).toBe(platformTenantId);
  expect((await acme.call('POST', `/agents/${id}/publish`)).status).toBe(404);
  await platform.post(`/agents/${id}/publish`);
  const copy = await acme.post(`/agents/${id}/copy`);
  expect([copy.name, copy.tenantId]).toEqual(['Of the house', services.acme.tenantId]);
});
