import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
let idle: string;

beforeAll(async () => {
  services = await openAgentsServices();
  idle = await createAgent(services, services.acme, { name: 'Idle', provider: 'openai', model: 'gpt-test' });
  bot = await createBot(services, services.acme);
  const chat = new Chat(services, bot);
  await chat.say('one');
  await chat.say('two');
  await chat.answers(2);
  services.model.replyWith(() => ({ status: 400 }));
  await chat.say('three');
  await chat.say('/help', { command: { name: 'help', argument: '' } });
  await chat.answers(4);
});

afterAll(() => services?.close());

const get = async (path: string, as = services.acme.member) =>
  await services.agents.call('GET', `/api/agents${path}`, { as });

const turnOf = (change: string) =>
  services.harness.asOwner(
    `insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, agent_id, outcome, key_source,
       context_messages, input_tokens, output_tokens, is_estimated, duration_ms, created_at, tool_calls)
     select $1, ${change}`,
    [bot.tenantId],
  );

test('agents are listed with their activity, newest first', async () => {
  const { status, body } = await get('');
  expect(status).toBe(200);
  expect(body.map(({ agentId }: { agentId: string }) => agentId)).toEqual([bot.agentIds[0], idle]);
  const [busy, other] = body;
  expect(busy).toMatchObject({
    name: 'Agent',
    provider: 'private-llm',
    enabled: true,
    version: 1,
    bots: [{ botId: bot.botId, name: 'Support' }],
    usage: { answered: 2, apologized: 1, toolCalls: 0, botIds: [bot.botId], lastUsedAt: expect.any(String) },
  });
  const [sums] = await services.harness.asOwner(
    `select sum(input_tokens)::int as "inputTokens", sum(output_tokens)::int as "outputTokens" from agents.turns
     where agent_id = $1`,
    [bot.agentIds[0]],
  );
  expect(busy.usage).toMatchObject(sums!);
  expect(sums?.inputTokens).toBeGreaterThan(0);
  expect(other).toMatchObject({
    bots: [],
    usage: {
      answered: 0,
      apologized: 0,
      inputTokens: 0,
      outputTokens: 0,
      toolCalls: 0,
      botIds: [],
      lastUsedAt: null,
    },
  });
  expect(busy).not.toHaveProperty('instructions');
});

test('one agent is shown as in the list, with its instructions, and as in its definition', async () => {
  const [listed] = (await get('')).body;
  const { body } = await get(`/${bot.agentIds[0]}`);
  expect(body).toEqual({ ...listed, instructions: 'Help.', modelSettings: {} });
  const definition = await services.agents.call('GET', `/api/definitions/agents/${bot.agentIds[0]}`, {
    as: services.acme.member,
  });
  const { id, name, model, keywords } = definition.body;
  expect(body).toMatchObject({ agentId: id, name, model, keywords });
});

test('statistics count by day and provider, omit no day, and show how long answers took', async () => {
  const { status, body } = await get('/stats?days=3');
  expect(status).toBe(200);
  expect(body.agents).toEqual({ total: 2, enabled: 2, used: 1 });
  const today = new Date().toISOString().slice(0, 10);
  expect(body.days).toHaveLength(3);
  expect(body.days.at(-1)).toEqual({ day: today, answered: 2, apologized: 1 });
  expect(body.days[0]).toMatchObject({ answered: 0, apologized: 0 });
  expect(body.providers).toEqual([
    expect.objectContaining({ provider: 'private-llm', answered: 2, apologized: 1, toolCalls: 0 }),
  ]);
  const { p50, p95, p99 } = body.latencyMs;
  expect(p50 >= 0 && p50 <= p95 && p95 <= p99).toBe(true);
});

test('only turns of the requested days count, except for the last use; a tool call is counted', async () => {
  const [agentId] = bot.agentIds;
  const made = await createAgent(services, services.acme, { name: 'Old' });
  const old = `'0199a000-0000-7000-8000-000000000000', gen_random_uuid(), '{}', gen_random_uuid(), '${made}', 'answered', 'tenant',
    0, 5, 5, false, 10, now() - interval '40 days', '[{}, {}]'`;
  await turnOf(old);
  const { body } = await get(`/${made}?days=30`);
  expect(body.usage).toMatchObject({ answered: 0, toolCalls: 0, lastUsedAt: expect.any(String) });
  await turnOf(
    old
      .replace(`'0199a000-0000-7000-8000-000000000000'`, `'${idNow()}'`)
      .replace("now() - interval '40 days'", 'now()'),
  );
  expect((await get(`/${made}?days=1`)).body.usage).toMatchObject({ answered: 1, toolCalls: 2, botIds: [] });
  expect((await get(`/${agentId}?days=1`)).body.usage.answered).toBe(2);
});

/** An identifier that was made now. */
function idNow(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`;
}

test("another tenant's and a missing agent are 404, and statistics are the tenant's own", async () => {
  const as = services.other.admin;
  for (const agentId of [bot.agentIds[0], randomUUID(), 'stats2'])
    expect((await get(`/${agentId}`, as)).status).toBe(404);
  expect((await get('', as)).body).toEqual([]);
  expect((await get('/stats', as)).body).toMatchObject({
    agents: { total: 0, enabled: 0, used: 0 },
    latencyMs: null,
    providers: [],
  });
});

test.each(['?days=0', '?days=91', '?days=x', '/stats?days=32'])('%s is 400', async (query) => {
  expect((await get(query)).status).toBe(400);
});
