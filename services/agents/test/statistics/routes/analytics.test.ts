import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, type TestBot } from '../../agents-services.ts';
import { addTool, call, equippedBot } from '../../answering/domain/loop/equipped.ts';
import { HandledChat } from '../../takeover/chats.ts';

let services: AgentsServices;
let bot: TestBot;
const reason = 'The parcel is lost.';

/** Four chats: one resolved by the bot, two handed over with one of them answered by staff, one with apologies only. */
beforeAll(async () => {
  services = await openAgentsServices();
  const toolIds = [await addTool(services, { name: 'hand_over', kind: 'hand_over' })];
  bot = await equippedBot(services, { instructions: 'Help.' }, { toolIds });
  const resolved = await HandledChat.begun(services, bot);
  await resolved.call('PUT', '', { labels: await labelled('Orders') });
  await decided(['resolved']);
  const answered = await handedOver();
  await answered.write('It is on its way.');
  await handedOver();
  await decided(['handed_over']);
  services.model.replyWith(() => ({ status: 400 }));
  const failing = new HandledChat(services, bot);
  await failing.say('Why is the sky blue?');
  await failing.answers(1);
  await failing.say('why is the sky BLUE?');
  await failing.answers(2);
  await failing.isIdle();
  await services.harness.settled('usage', 'agents');
});
afterAll(() => services?.close());

async function handedOver(): Promise<HandledChat> {
  const chat = new HandledChat(services, bot);
  services.model.replyInTurn(call('hand_over', { reason }));
  await chat.say('where is my parcel?');
  await chat.answers(1);
  await chat.isIdle();
  return chat;
}

/** The sessions so far have these outcomes, as they have after a day. */
const decided = (outcomes: string[]) =>
  services.harness.asOwner(
    `insert into agents.session_outcomes (tenant_id, session_id, agent_id, agent_version, conversation_id, bot_id,
       platform, began_at, outcomes, turns, duration_ms, cost_micro_usd, is_final)
     select t.tenant_id, t.session_id, t.agent_id, t.agent_version, t.conversation_id, c.bot_id, c.platform,
       t.created_at, $1, 1, 250, 40, true
     from agents.turns t join agents.conversations c using (tenant_id, conversation_id)
     where t.session_id is not null and t.agent_id is not null
     on conflict do nothing`,
    [outcomes],
  );

async function labelled(name: string): Promise<string[]> {
  const as = services.acme.admin;
  await services.agents.call('POST', '/api/interactions/labels', { as, body: { name } });
  return [name];
}

const read = async (query = '', as = services.acme.admin) =>
  await services.agents.call('GET', `/api/analytics/chats${query}`, { as });
const today = new Date().toISOString().slice(0, 10);

test('the chats of a period are counted, with what became of them and why people took over', async () => {
  const { status, body } = await read(`?from=${today}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    chats: 4,
    newChats: 4,
    messagesIn: 5,
    replies: 5,
    staffReplies: 1,
    resolvedWithoutPerson: 1,
    takenOver: 2,
    takeovers: [{ reason, chats: 2 }],
    firstResponse: { responses: 4, medianMs: expect.any(Number), p90Ms: expect.any(Number) },
    costMicroUsd: expect.any(Number),
  });
  expect(body.firstResponse.p90Ms).toBeGreaterThanOrEqual(body.firstResponse.medianMs);
});

test('questions without an answer are listed once, those asked last first among the equally frequent', async () => {
  const { body } = await read();
  expect(body.unanswered).toEqual([
    { text: 'why is the sky BLUE?', times: 2, chatId: expect.any(String) },
    { text: 'where is my parcel?', times: 2, chatId: expect.any(String) },
  ]);
});

test('every day and hour adds up to the whole, and no day is missing', async () => {
  const { body } = await read();
  expect(body.days).toHaveLength(30);
  expect(body.days.at(-1)).toMatchObject({ day: body.to, messagesIn: 5, staffReplies: 1 });
  const inHours = body.hours.reduce((all: number, hour: { messagesIn: number }) => all + hour.messagesIn, 0);
  expect(inHours).toBe(5);
});

test('a bot, an agent, a platform and a label each narrow every figure', async () => {
  expect((await read('?label=orders')).body).toMatchObject({
    chats: 1,
    resolvedWithoutPerson: 1,
    takenOver: 0,
  });
  expect((await read(`?botId=${bot.botId}&agentId=${bot.agentIds[0]}`)).body).toMatchObject({ chats: 4 });
  expect((await read('?platform=messenger')).body).toMatchObject({ chats: 4, messagesIn: 5 });
  for (const query of [
    '?platform=email',
    '?label=none',
    `?botId=${randomUUID()}`,
    `?agentId=${randomUUID()}`,
    '?from=2020-01-01&to=2020-01-31',
  ])
    expect((await read(query)).body).toMatchObject({
      chats: 0,
      messagesIn: 0,
      takenOver: 0,
      takeovers: [],
      hours: [],
      unanswered: [],
      firstResponse: null,
      costMicroUsd: 0,
    });
});

const readOutcomes = async (query = '', as = services.acme.admin) =>
  await services.agents.call('GET', `/api/analytics/outcomes${query}`, { as });

test('outcomes are counted by agent, version, bot, channel and week, and each filter narrows them', async () => {
  const { status, body } = await readOutcomes();
  expect(status).toBe(200);
  const figures = { sessions: 3, undecided: 0, costMicroUsd: 120, durationMs: 750 };
  const outcomes = { resolved: 1, handed_over: 2, failed: 0, rated_up: 0 };
  expect(body).toMatchObject({ ...figures, outcomes, groups: [{ ...figures, outcomes, name: null }] });
  expect(new Date(body.groups[0].week).getUTCDay()).toBe(1);
  const [agentId] = bot.agentIds;
  const named = { name: expect.any(String), sessions: 3 };
  expect((await readOutcomes('?by=agent')).body.groups).toMatchObject([{ ...named, agentId }]);
  expect((await readOutcomes('?by=version')).body.groups).toMatchObject([
    { ...named, agentId, agentVersion: 1 },
  ]);
  expect((await readOutcomes('?by=bot')).body.groups).toMatchObject([{ ...named, botId: bot.botId }]);
  expect((await readOutcomes('?by=channel')).body.groups).toMatchObject([
    { platform: 'messenger', sessions: 3 },
  ]);
  expect((await readOutcomes('?label=orders')).body).toMatchObject({
    sessions: 1,
    outcomes: { resolved: 1 },
  });
  for (const query of [
    '?platform=email',
    '?label=none',
    '?version=9',
    `?botId=${randomUUID()}`,
    `?agentId=${randomUUID()}`,
    '?from=2020-01-01&to=2020-01-31',
  ])
    expect((await readOutcomes(query)).body).toMatchObject({ sessions: 0, groups: [], costMicroUsd: null });
  expect((await readOutcomes('', services.other.admin)).body).toMatchObject({ sessions: 0 });
});

test('chats are listed by the outcome of their last session, and show it', async () => {
  const list = async (query: string) =>
    (await services.agents.call('GET', `/api/interactions/chats${query}`, { as: services.acme.admin })).body;
  expect(await list('?outcome=resolved')).toMatchObject([{ outcomes: ['resolved'], labels: ['Orders'] }]);
  expect(await list('?outcome=handed_over')).toHaveLength(2);
  expect(await list('?outcome=failed')).toEqual([]);
  const unknown = (await list('')).filter(({ outcomes }: { outcomes?: string[] }) => !outcomes);
  expect(unknown).toHaveLength(1);
});

test('another tenant sees nothing of it', async () => {
  expect((await read('', services.other.admin)).body).toMatchObject({ chats: 0, unanswered: [] });
});

test('a period of 400 days is the longest, and must not end before it begins', async () => {
  expect((await read('?from=2025-01-01&to=2026-02-04')).status).toBe(200);
  for (const query of ['?from=2025-01-01&to=2026-02-05', '?from=2026-01-02&to=2026-01-01', '?from=x'])
    expect((await read(query)).status).toBe(400);
});
