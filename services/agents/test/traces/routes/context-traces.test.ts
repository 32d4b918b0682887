import { randomUUID } from 'node:crypto';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
const base = '/api/context-traces';

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});
afterEach(() => {
  services.model.release();
});
afterAll(() => services?.close());

const get = (path = '', as = services.acme.admin) => services.agents.call('GET', `${base}${path}`, { as });

/** The traces of a chat, the newest first. */
async function tracesOf(chat: Chat) {
  const [row] = await services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [chat.conversationId],
  );
  const { body } = await get(`?chatId=${row!.chat_id}`);
  return { chatId: row!.chat_id, summaries: body };
}

const deliver = async (chat: Chat, change: object) => {
  const [reply] = await chat.replies();
  await services.harness.publish(replyDelivered, {
    tenantId: bot.tenantId,
    botId: bot.botId,
    conversationId: chat.conversationId,
    replyId: reply!.message_id,
    state: 'sent' as const,
    platformMessageIds: ['43', '44'],
    isUncertain: false,
    ...change,
  });
  await services.harness.settled('agents', 'webhooks');
};

describe('the trace of an answer', () => {
  test('contains everything from its delivery to its send, and its cost', async () => {
    const chat = new Chat(services, bot);
    const said = chat.message('hello', { platformMessageId: '42' });
    await chat.say('hello', { ...said, seq: 1 });
    await chat.answers(1);
    await deliver(chat, {});
    const { chatId, summaries } = await tracesOf(chat);
    expect(summaries).toEqual([
      {
        traceId: expect.any(String),
        botId: bot.botId,
        chatId,
        agentId: bot.agentIds[0],
        agentVersion: 1,
        sessionId: expect.any(String),
        outcome: 'answered',
        ending: 'complete',
        failure: null,
        replyId: expect.any(String),
        state: 'sent',
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        toolCalls: 0,
        durationMs: expect.any(Number),
        createdAt: expect.any(String),
      },
    ]);
    await services.harness.settled('usage', 'agents');
    const { toolCalls: _count, ...summary } = summaries[0];
    const { status, body } = await get(`/${summary.traceId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...summary,
      deliveries: [
        {
          messageId: expect.any(String),
          seq: 1,
          receivedAt: said.receivedAt,
          deliveryId: said.deliveryId,
          platformMessageId: '42',
          dedupe: 'first',
        },
      ],
      triage: {
        agentId: bot.agentIds[0],
        candidates: [expect.objectContaining({ agentId: bot.agentIds[0] })],
      },
      provider: 'private-llm',
      model: 'default',
      isEstimated: false,
      toolCalls: [],
      key: { keyId: null, source: 'platform' },
      context: { messages: 0, tokens: expect.any(Number), hasSummary: false, citations: [] },
      cost: { microUsd: null, state: 'unpriced' },
      outbound: {
        replyId: summary.replyId,
        seq: 1,
        state: 'sent',
        parts: 2,
        platformMessageIds: ['43', '44'],
        isUncertain: false,
        lastError: null,
      },
      timing: {
        receivedAt: said.receivedAt,
        answeredAt: summary.createdAt,
        deliveredAt: expect.any(String),
        waitedMs: expect.any(Number),
        durationMs: summary.durationMs,
      },
    });
    expect(body.timing.waitedMs).toBeGreaterThanOrEqual(0);
  });

  test('shows that its cost is unknown while the usage service does not answer', async () => {
    const chat = new Chat(services, bot);
    await chat.say('hello');
    await chat.answers(1);
    const { summaries } = await tracesOf(chat);
    await services.harness.asOwner('alter table usage.log_entries rename to gone');
    const { status, body } = await get(`/${summaries[0].traceId}`);
    await services.harness.asOwner('alter table usage.gone rename to log_entries');
    expect({ status, cost: body.cost ?? body }).toMatchObject({ status: 200, cost: { microUsd: null } });
  });

  test('shows that the reply failed, or may have arrived twice', async () => {
    const failed = new Chat(services, bot);
    await failed.say('hello');
    await failed.answers(1);
    await deliver(failed, { state: 'failed', platformMessageIds: [], lastError: 'Forbidden: blocked' });
    const [one] = (await tracesOf(failed)).summaries;
    expect((await get(`/${one.traceId}`)).body.outbound).toMatchObject({
      state: 'failed',
      parts: 0,
      lastError: 'Forbidden: blocked',
    });
    const twice = new Chat(services, bot);
    await twice.say('hello');
    await twice.answers(1);
    await deliver(twice, { isUncertain: true });
    const [other] = (await tracesOf(twice)).summaries;
    expect((await get(`/${other.traceId}`)).body.outbound.isUncertain).toBe(true);
  });
});

test('a burst is one trace with all its deliveries, and each of them and the reply leads to it', async () => {
  const joining = await createBot(services, services.acme, { joinWindowMs: 300, agentIds: bot.agentIds });
  const chat = new Chat(services, joining);
  for (const text of ['one', 'two', 'three']) await chat.say(text);
  await chat.answers(1);
  const { summaries } = await tracesOf(chat);
  expect(summaries).toHaveLength(1);
  const { deliveries, replyId } = (await get(`/${summaries[0].traceId}`)).body;
  expect(deliveries.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
  for (const id of [...deliveries.map(({ messageId }: { messageId: string }) => messageId), replyId])
    expect((await get(`?messageId=${id}`)).body).toEqual(summaries);
});

test('an apology and a command have a trace, with the cause and without a model', async () => {
  const chat = new Chat(services, bot);
  services.model.failNext({ status: 400 });
  await chat.say('fail');
  await chat.answers(1);
  await chat.say('/help', { command: { name: 'help', argument: '' } });
  await chat.answers(2);
  const { summaries } = await tracesOf(chat);
  expect(
    summaries.map(({ outcome, failure }: { outcome: string; failure: string }) => [outcome, failure]),
  ).toEqual([
    ['command', null],
    ['apologized', 'refused'],
  ]);
  const [command, apology] = await Promise.all(
    summaries.map(async ({ traceId }: { traceId: string }) => (await get(`/${traceId}`)).body),
  );
  expect(command).toMatchObject({
    triage: null,
    context: null,
    cost: { microUsd: 0, state: 'nothing used' },
  });
  expect(apology).toMatchObject({ triage: { agentId: bot.agentIds[0] }, cost: { state: 'nothing used' } });
});

test('a person who was left out of a joint answer is in the trace, with the reason', async () => {
  const { tenancy, acme } = services;
  const joining = await createBot(services, acme, { joinWindowMs: 300, agentIds: bot.agentIds });
  const mallory = { platformUserId: '666', name: 'Mallory' };
  const muted = { platform: 'messenger', platformUserId: '666' };
  await tenancy.call('POST', '/api/auth/moderation', { as: acme.admin, body: muted });
  const chat = new Chat(services, joining);
  const place = { chat: { platformChatId: '-5', kind: 'group' as const, title: 'All' } };
  await chat.say('hello', place);
  await chat.say('and me', { ...place, sender: mallory });
  await chat.answers(1);
  const { summaries } = await tracesOf(chat);
  const { deliveries } = (await get(`/${summaries[0].traceId}`)).body;
  expect(deliveries.map(({ refusal }: { refusal?: string }) => refusal)).toEqual([undefined, 'muted']);
});

test('traces are narrowed by agent, bot, outcome and time, and are listed in pages', async () => {
  const own = await createBot(services, services.acme);
  const chat = new Chat(services, own);
  for (const [index, text] of ['a', 'b', 'c'].entries()) {
    await chat.say(text);
    await chat.answers(index + 1);
  }
  const count = async (query: string) => (await get(`?${query}`)).body.length;
  expect(await count(`botId=${own.botId}`)).toBe(3);
  expect(await count(`agentId=${own.agentIds[0]}`)).toBe(3);
  expect(await count(`botId=${own.botId}&outcome=apologized`)).toBe(0);
  expect(await count(`botId=${own.botId}&to=2020-01-01`)).toBe(0);
  expect(await count(`botId=${own.botId}&from=2020-01-01`)).toBe(3);
  const first = await get(`?botId=${own.botId}&limit=2`);
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
  const second = await services.agents.call('GET', next!, { as: services.acme.admin });
  expect([first.body.length, second.body.length]).toEqual([2, 1]);
});

test("another tenant's trace is 404 like a missing one, and no trace contains a secret", async () => {
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const { chatId, summaries } = await tracesOf(chat);
  const { other, acme } = services;
  for (const id of [summaries[0].traceId, randomUUID()]) {
    const { status, text } = await get(`/${id}`, other.admin);
    expect({ status, text }).toEqual({ status: 404, text: '{"error":"trace not found"}' });
  }
  expect((await get(`?chatId=${chatId}`, other.admin)).body).toEqual([]);
  expect((await get('', acme.member)).status).toBe(403);
  const all = await eventually('a trace', async () => (await get(`/${summaries[0].traceId}`)).text);
  expect(all).not.toMatch(/sk-|bot\d+:|apiKey|sealed/);
});
