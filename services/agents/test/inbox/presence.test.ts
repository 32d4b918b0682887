import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { EventReader } from '@botyard/testing/event-reader';
import { user } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { HandledChat, userIdOf } from '../takeover/chats.ts';

let services: AgentsServices;
let bot: TestBot;
let otherBot: TestBot;
let responder: Identity;
let responderId: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  otherBot = await createBot(services, services.acme);
  responder = user(`user_responder_${randomUUID()}`);
  responderId = await userIdOf(services, responder);
  const edge = { subject: `user:${responderId}`, relation: 'responder', object: `bot:${bot.botId}` };
  const { admin } = services.acme;
  await services.tenancy.call('POST', '/api/authorization-edges', { as: admin, body: edge });
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => services?.close());

async function listen(as: Identity): Promise<EventReader> {
  const reader = await EventReader.open(services.agents, { as });
  readers.push(reader);
  return reader;
}

const show = (chat: HandledChat, body: object, as?: Identity) => chat.call('PUT', '/presence', body, as);
const leave = (chat: HandledChat, as?: Identity) => chat.call('DELETE', '/presence', undefined, as);
const isIn =
  (state: string) =>
  ({ data }: { data: { state: string } }): boolean =>
    data.state === state;

test('staff hear that a colleague is at a chat, types, and leaves', async () => {
  const chat = await HandledChat.begun(services, bot);
  const { chatId } = await chat.shown();
  const reader = await listen(services.acme.admin);
  expect((await show(chat, {}, responder)).status).toBe(204);
  expect((await reader.first('chat.presence', isIn('here'))).data).toMatchObject({
    chatId,
    userId: responderId,
  });
  await show(chat, { isTyping: true }, responder);
  await reader.first('chat.presence', isIn('typing'));
  expect((await leave(chat, responder)).status).toBe(204);
  await reader.first('chat.presence', isIn('gone'));
});

test('nobody hears of themselves, and no responder of chats of another bot', async () => {
  const [own, foreign] = [
    await HandledChat.begun(services, bot),
    await HandledChat.begun(services, otherBot),
  ];
  const [ofAdmin, ofResponder] = [await listen(services.acme.admin), await listen(responder)];
  await show(foreign, { isTyping: true });
  await show(own, { isTyping: true });
  await show(own, {}, responder);
  const { chatId } = await own.shown();
  await ofResponder.first('chat.presence', ({ data }) => data.chatId === chatId);
  await ofAdmin.first('chat.presence', ({ data }) => data.chatId === chatId);
  const adminId = await userIdOf(services, services.acme.admin);
  const heardBy = (reader: EventReader) =>
    new Set(reader.heard.filter(({ event }) => event === 'chat.presence').map(({ data }) => data.userId));
  expect(heardBy(ofAdmin)).toEqual(new Set([responderId]));
  expect(heardBy(ofResponder)).toEqual(new Set([adminId]));
  expect(JSON.stringify(ofResponder.heard)).not.toContain((await foreign.shown()).chatId);
});

test('a listener who connects later hears who is at a chat already, and not who has left', async () => {
  const [chat, leftChat] = [await HandledChat.begun(services, bot), await HandledChat.begun(services, bot)];
  const { chatId } = await chat.shown();
  const first = await listen(responder);
  await show(leftChat, {});
  await leave(leftChat);
  await show(chat, {});
  await first.first('chat.presence', ({ data }) => data.chatId === chatId);
  const later = await listen(responder);
  await later.first('chat.presence', ({ data }) => data.chatId === chatId);
  expect(JSON.stringify(later.heard)).not.toContain((await leftChat.shown()).chatId);
});

test('no one is shown at a chat that does not exist, or that a responder may not read', async () => {
  const foreign = await HandledChat.begun(services, otherBot);
  expect((await show(foreign, {}, responder)).status).toBe(404);
  const { admin } = services.acme;
  const missing = `/api/interactions/chats/${randomUUID()}/presence`;
  expect((await services.agents.call('PUT', missing, { as: admin, body: {} })).status).toBe(404);
});
