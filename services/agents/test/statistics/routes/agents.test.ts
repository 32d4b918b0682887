import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

beforeAll(async () => {
  services = await openAgentsServices();
  const agentIds = [
    await createAgent(services, services.acme, { name: 'Sales', keywords: ['price', 'offer'] }),
    await createAgent(services, services.acme, { name: 'Repair', keywords: ['broken', 'error'] }),
  ];
  bot = await createBot(services, services.acme, { agentIds });
  await services.harness.settled('agents', 'tenancy');
});

afterAll(() => services?.close());

const preview = (body: unknown, as = services.acme.admin) =>
  services.agents.call('POST', '/api/agents/triage-preview', { as, body });

describe('the preview of triage', () => {
  test.each(['it is broken', 'what is the price?', 'hello', '🦄 \u202e'])(
    'matches the record and the action of a turn, for %j',
    async (message) => {
      const { status, body } = await preview({ message, botId: bot.botId });
      expect(status).toBe(200);
      const chat = new Chat(services, bot);
      await chat.say(message);
      await chat.answers(1);
      const [turn] = await services.harness.asOwner<{ triage: unknown; agent_id: string }>(
        'select triage, agent_id from agents.turns where conversation_id = $1',
        [chat.conversationId],
      );
      expect(turn).toEqual({ triage: body, agent_id: body.agentId });
    },
  );

  test('chooses among the agents that are named, each once', async () => {
    const [sales, repair] = bot.agentIds;
    const { body } = await preview({ message: 'broken', agentIds: [sales, repair, sales] });
    expect(body.agentId).toBe(repair);
    expect(body.candidates.map(({ agentId }: { agentId: string }) => agentId)).toEqual([repair, sales]);
  });

  test("is 404 for another tenant's, a missing and a deleted bot or agent", async () => {
    const foreignBot = await createBot(services, services.other);
    const gone = await createBot(services, services.acme);
    await services.tenancy.call('DELETE', `/api/bots/${gone.tenantId}/${gone.botId}`, {
      as: services.acme.admin,
    });
    await services.harness.settled('agents', 'tenancy');
    for (const target of [
      { botId: foreignBot.botId },
      { botId: gone.botId },
      { botId: randomUUID() },
      { agentIds: foreignBot.agentIds },
      { agentIds: [bot.agentIds[0], randomUUID()] },
    ]) {
      expect((await preview({ message: 'x', ...target })).status).toBe(404);
    }
  });

  test.each([
    ['neither bot nor agents', {}],
    ['both', { botId: randomUUID(), agentIds: [randomUUID()] }],
    ['no agent in the list', { agentIds: [] }],
    ['a bot that is no identifier', { botId: 'nope' }],
    ['a message beyond all limits', { botId: randomUUID(), message: 'x'.repeat(20_001) }],
  ])('refuses %s with 400', async (_what, target) => {
    const answer = await preview({ message: 'x', ...target });
    expect(answer.status).toBe(400);
    expect(answer.body.issues.length).toBeGreaterThan(0);
  });

  test('asks no model and stores nothing; a member may see it', async () => {
    const calls = services.model.requests.count;
    const turns = () => services.harness.asOwner('select from agents.turns');
    const before = await turns();
    const answer = await preview({ message: 'broken', botId: bot.botId }, services.acme.member);
    expect(answer.status).toBe(200);
    expect(services.model.requests.count).toBe(calls);
    expect(await turns()).toEqual(before);
  });
});

test('the agent of a conversation stays, unless another fits clearly better', async () => {
  const [sales, repair] = bot.agentIds;
  const chat = new Chat(services, bot);
  const answeredBy = async (text: string, count: number) => {
    await chat.say(text);
    await chat.answers(count);
    const rows = await services.harness.asOwner<{ agent_id: string }>(
      'select agent_id from agents.turns where conversation_id = $1 order by turn_id',
      [chat.conversationId],
    );
    return rows.at(-1)?.agent_id;
  };
  expect(await answeredBy('it is broken', 1)).toBe(repair);
  expect(await answeredBy('thank you', 2)).toBe(repair);
  expect(await answeredBy('sales offer price', 3)).toBe(sales);
});
