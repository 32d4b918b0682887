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
  await resolved.call('PUT', '', { state: 'resolved', labels: await labelled('Orders') });
  const answered = await handedOver();
  await answered.write('It is on its way.');
  await handedOver();
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

test('another tenant sees nothing of it', async () => {
  expect((await read('', services.other.admin)).body).toMatchObject({ chats: 0, unanswered: [] });
});

test('a period of 400 days is the longest, and must not end before it begins', async () => {
  expect((await read('?from=2025-01-01&to=2026-02-04')).status).toBe(200);
  for (const query of ['?from=2025-01-01&to=2026-02-05', '?from=2026-01-02&to=2026-01-01', '?from=x'])
    expect((await read(query)).status).toBe(400);
});
