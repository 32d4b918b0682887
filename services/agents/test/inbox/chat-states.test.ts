import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { addTool, call, equippedBot } from '../answering/domain/loop/equipped.ts';
import { HandledChat } from '../takeover/chats.ts';

let services: AgentsServices;
let bot: TestBot;
let equipped: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  const toolIds = [await addTool(services, { name: 'hand_over', kind: 'hand_over' })];
  equipped = await equippedBot(services, { instructions: 'Help.' }, { toolIds });
});
afterAll(() => services?.close());

const begun = () => HandledChat.begun(services, bot);
const change = (chat: HandledChat, body: object) => chat.call('PUT', '', body);
const inOneHour = () => new Date(Date.now() + 3600_000).toISOString();

async function handedOver(): Promise<HandledChat> {
  const chat = new HandledChat(services, equipped);
  services.model.replyInTurn(call('hand_over', { reason: 'It is lost.' }));
  await chat.say('where is my parcel?');
  await chat.answers(1);
  await chat.isIdle();
  return chat;
}

describe('the state of a chat', () => {
  test('is open at first, and a message of its person opens it again', async () => {
    const chat = await begun();
    expect(await chat.shown()).toMatchObject({ state: 'open', isBlocked: false, labels: [] });
    expect(await change(chat, { state: 'resolved' })).toMatchObject({
      status: 200,
      body: { state: 'resolved' },
    });
    await chat.say('one more thing');
    await chat.answers(2);
    expect(await chat.shown()).toMatchObject({ state: 'open' });
  });

  test('stays resolved when a message comes that no person wrote', async () => {
    const chat = await begun();
    await change(chat, { state: 'resolved' });
    await chat.say('I am away', { automaticReason: 'an absence note' });
    await chat.isSettled(2);
    expect(await chat.shown()).toMatchObject({ state: 'resolved' });
  });

  test('never stops the bot', async () => {
    const chat = await begun();
    await change(chat, { state: 'snoozed', snoozedUntil: inOneHour() });
    await chat.say('are you there?');
    expect(await chat.answers(2)).toEqual(['re: hello', 're: are you there?']);
  });

  test('is resolved together with a handback', async () => {
    const chat = await begun();
    await chat.takeOver();
    expect((await change(chat, { state: 'resolved' })).body).toMatchObject({
      state: 'resolved',
      handling: 'bot',
      assigneeUserId: null,
    });
  });

  test('is waiting from the request for a person to the first reply of staff', async () => {
    const chat = await handedOver();
    expect(await chat.shown()).toMatchObject({ state: 'waiting', handling: 'person' });
    await chat.takeOver();
    expect(await chat.shown()).toMatchObject({ state: 'waiting' });
    await chat.write('It arrives on Friday.');
    expect(await chat.shown()).toMatchObject({ state: 'open' });
  });

  test('is open once staff hand back a waiting chat, and waiting if nobody did', async () => {
    const [answered, forgotten] = [await handedOver(), await handedOver()];
    await answered.handBack();
    await forgotten.timePasses();
    expect(await answered.shown()).toMatchObject({ state: 'open', handling: 'bot' });
    expect(await forgotten.shown()).toMatchObject({ state: 'waiting', handling: 'bot' });
  });

  test('is open again at the end of a snooze, before and after it is announced', async () => {
    const chat = await begun();
    const snoozedUntil = inOneHour();
    expect((await change(chat, { state: 'snoozed', snoozedUntil })).body).toMatchObject({
      state: 'snoozed',
      snoozedUntil,
    });
    await services.harness.asOwner(
      'update agents.conversations set snoozed_until = now() where conversation_id = $1',
      [chat.conversationId],
    );
    const shown = await chat.shown();
    expect(shown).toMatchObject({ state: 'open' });
    expect(shown).not.toHaveProperty('snoozedUntil');
    await eventually('its end is announced', async () => {
      const [row] = await services.harness.asOwner<{ state: string }>(
        'select state from agents.conversations where conversation_id = $1',
        [chat.conversationId],
      );
      return row?.state === 'open';
    });
  });

  test.each([
    { state: 'snoozed' },
    { snoozedUntil: new Date(Date.now() + 60_000).toISOString() },
    { state: 'snoozed', snoozedUntil: new Date(Date.now() - 60_000).toISOString() },
    { state: 'blocked' },
  ])('is not changed by %j', async (body) => {
    const chat = await begun();
    expect((await change(chat, body)).status).toBe(400);
    expect(await chat.shown()).toMatchObject({ state: 'open' });
  });
});

describe('queues', () => {
  const list = async (query: string) => {
    const path = `/api/interactions/chats?botId=${bot.botId}&limit=500&${query}`;
    const { status, body } = await services.agents.call('GET', path, { as: services.acme.admin });
    expect(status).toBe(200);
    return body.map(({ chatId }: { chatId: string }) => chatId) as string[];
  };
  const counts = async () =>
    (
      await services.agents.call('GET', `/api/interactions/chats/counts?botId=${bot.botId}`, {
        as: services.acme.admin,
      })
    ).body;

  test('hold the chats that they name, with their counts', async () => {
    bot = await createBot(services, services.acme);
    const [mine, unassigned, waiting, snoozed, done] = await Promise.all(Array.from({ length: 5 }, begun));
    const ids = await Promise.all(
      [mine, unassigned, waiting, snoozed, done].map(async (chat) => (await chat!.shown()).chatId),
    );
    await mine!.takeOver();
    await unassigned!.takeOver({ assigneeUserId: null });
    await change(waiting!, { state: 'waiting' });
    await change(snoozed!, { state: 'snoozed', snoozedUntil: inOneHour() });
    await change(done!, { state: 'resolved' });
    expect(await list('queue=mine')).toEqual([ids[0]]);
    expect(new Set(await list('queue=unassigned'))).toEqual(new Set([ids[1], ids[2]]));
    expect(await list('queue=waiting')).toEqual([ids[2]]);
    expect(new Set(await list('queue=all'))).toEqual(new Set(ids.slice(0, 3)));
    expect(await list('state=snoozed')).toEqual([ids[3]]);
    expect(await list('queue=all&state=resolved')).toEqual([ids[4]]);
    expect(await list('')).toHaveLength(5);
    expect(await counts()).toEqual({ mine: 1, unassigned: 2, waiting: 1, all: 3, snoozed: 1 });
  });

  test('are narrowed by the agent that answered last and by the time of the last message', async () => {
    const chat = await begun();
    const { chatId } = await chat.shown();
    const [{ agentId }] = await chat.messages();
    expect(await list(`agentId=${agentId}`)).toContain(chatId);
    expect(await list(`agentId=${bot.botId}`)).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await list(`from=${today}`)).toContain(chatId);
    expect(await list('to=2020-01-01')).toEqual([]);
  });
});

test('a chat is unread for each user until they have read its newest message', async () => {
  const chat = await begun();
  const { acme, agents } = services;
  expect(await chat.shown()).toMatchObject({ isUnread: true });
  expect((await change(chat, { isUnread: false })).body).toMatchObject({ isUnread: false });
  await chat.say('news');
  await chat.answers(2);
  expect(await chat.shown()).toMatchObject({ isUnread: true });
  await change(chat, { isUnread: false });
  expect((await change(chat, { isUnread: true })).body).toMatchObject({ isUnread: true });
  const { body } = await agents.call('GET', `/api/interactions/chats?q=news`, { as: acme.admin });
  expect(body).toMatchObject([{ isUnread: true }]);
});
