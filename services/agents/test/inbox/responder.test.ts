import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { EventReader } from '@botyard/testing/event-reader';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { HandledChat, userIdOf } from '../takeover/chats.ts';

let services: AgentsServices;
let bot: TestBot;
let otherBot: TestBot;
let responder: Identity;
let edgeId: string;
let userId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  otherBot = await createBot(services, services.acme);
  responder = user(`user_responder_${randomUUID()}`);
  userId = await userIdOf(services, responder);
  edgeId = await addResponder(bot);
});
afterAll(() => services?.close());

async function addResponder({ botId }: TestBot): Promise<string> {
  const body = { subject: `user:${userId}`, relation: 'responder', object: `bot:${botId}` };
  const edge = await services.tenancy.call('POST', '/api/authorization-edges', {
    as: services.acme.admin,
    body,
  });
  expect(edge.status).toBe(201);
  return edge.body.edgeId;
}

const call = (method: string, path: string, body?: object) =>
  services.agents.call(method, path, { as: responder, ...(body ? { body } : {}) });

describe('a responder', () => {
  test('sees the chats of their bot only, in lists, counts and by identifier', async () => {
    const [own, foreign] = [
      await HandledChat.begun(services, bot),
      await HandledChat.begun(services, otherBot),
    ];
    const { body: chats } = await call('GET', '/api/interactions/chats?limit=500');
    expect(new Set(chats.map(({ botId }: { botId: string }) => botId))).toEqual(new Set([bot.botId]));
    expect((await call('GET', '/api/interactions/chats/counts')).body.all).toBe(chats.length);
    expect((await call('GET', await own.path())).status).toBe(200);
    for (const end of ['', '/messages', '/channel-messages', '/notes'])
      expect((await call('GET', await foreign.path(end))).status, end).toBe(404);
    const [{ messageId }] = await foreign.messages();
    expect((await call('GET', `/api/interactions/messages/${messageId}`)).status).toBe(404);
    expect((await call('PUT', await foreign.path(), { state: 'resolved' })).status).toBe(404);
    expect((await call('POST', await foreign.path('/takeover'), {})).status).toBe(404);
  });

  test("sees the other chats of a chat's people with their own bots only, and none from a foreign chat", async () => {
    const ana = { platformUserId: randomUUID(), name: 'Ana' };
    const chatWith = async (of: TestBot): Promise<HandledChat> => {
      const chat = new HandledChat(services, of);
      await chat.say('hello', { sender: ana });
      await chat.answers(1);
      await chat.isIdle();
      return chat;
    };
    const [own, second, foreign] = [await chatWith(bot), await chatWith(bot), await chatWith(otherBot)];
    await HandledChat.begun(services, bot);
    const others = async (of: HandledChat, as = responder, more = '') => {
      const { chatId } = await of.shown();
      const path = `/api/interactions/chats?peopleOfChatId=${chatId}${more}`;
      return await services.agents.call('GET', path, { as });
    };
    const idsOf = async (answer: ReturnType<typeof others>) =>
      (await answer).body.map(({ chatId }: { chatId: string }) => chatId);
    const { chatId: secondId } = await second.shown();
    const { chatId: foreignId } = await foreign.shown();
    expect(await idsOf(others(own))).toEqual([secondId]);
    expect(await idsOf(others(own, services.acme.admin))).toEqual([foreignId, secondId]);
    expect(await idsOf(others(own, services.acme.admin, '&limit=1'))).toEqual([foreignId]);
    expect((await others(foreign)).status).toBe(404);
    expect((await others(own, services.other.admin)).status).toBe(404);
  });

  test('handles a chat of their bot, and can be its assignee', async () => {
    const chat = await HandledChat.begun(services, bot);
    expect((await chat.takeOver({ assigneeUserId: userId })).body).toMatchObject({ assigneeUserId: userId });
    expect((await chat.write('Hello, Rita here.', responder)).status).toBe(201);
    expect((await chat.call('POST', '/notes', { text: 'Call back' }, responder)).status).toBe(201);
    expect((await chat.call('PUT', '', { state: 'resolved' }, responder)).body).toMatchObject({
      state: 'resolved',
      handling: 'bot',
    });
    const foreign = await HandledChat.begun(services, otherBot);
    expect((await foreign.takeOver({ assigneeUserId: userId })).status).toBe(422);
  });

  test('sees the traces of their bot without keys', async () => {
    const [own, foreign] = [
      await HandledChat.begun(services, bot),
      await HandledChat.begun(services, otherBot),
    ];
    const tracesOf = async (chat: HandledChat, as: Identity) => {
      const { chatId } = await chat.shown();
      return (await services.agents.call('GET', `/api/context-traces?chatId=${chatId}`, { as })).body;
    };
    const [{ traceId }] = await tracesOf(own, responder);
    expect((await call('GET', `/api/context-traces/${traceId}`)).body.key).toEqual({
      keyId: null,
      source: 'none',
      attempts: [],
    });
    expect(await tracesOf(foreign, responder)).toEqual([]);
    const [{ traceId: foreignId }] = await tracesOf(foreign, services.acme.admin);
    expect((await call('GET', `/api/context-traces/${foreignId}`)).status).toBe(404);
  });

  test('hears what happens in chats of their bot, and nothing else', async () => {
    const reader = await EventReader.open(services.agents, { as: responder });
    const foreign = await HandledChat.begun(services, otherBot);
    const foreignId = (await foreign.takeOver()).body.chatId;
    const own = await HandledChat.begun(services, bot);
    const { chatId } = (await own.takeOver()).body;
    await reader.first('chat.updated', ({ data }) => data.chatId === chatId);
    expect(JSON.stringify(reader.heard)).not.toContain(foreignId);
    reader.close();
  });

  test.each([
    'GET /api/interactions/dead-letters',
    'GET /api/interactions/undelivered',
    'GET /api/interactions/all-dead-letters',
    'GET /api/definitions/agents',
    'GET /api/context-sources',
  ])('gets 403 from %s', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    expect((await call(method, path)).status).toBe(403);
  });

  test('is told the bots in their own record, and loses everything with the edge', async () => {
    const ownRecord = async () =>
      (await services.tenancy.call('GET', '/api/current-user', { as: responder })).body;
    const { tenantId } = services.acme;
    expect(await ownRecord()).toMatchObject({
      activeTenantId: tenantId,
      tenants: [],
      responds: [{ botId: bot.botId, tenantId }],
    });
    const path = `/api/authorization-edges/${edgeId}`;
    expect((await services.tenancy.call('DELETE', path, { as: services.acme.admin })).status).toBe(204);
    const record = await ownRecord();
    expect(record).toMatchObject({ activeTenantId: null });
    expect(record).not.toHaveProperty('responds');
    const named = { as: responder, headers: { 'x-tenant-id': tenantId } };
    expect((await services.agents.call('GET', '/api/interactions/chats', named)).status).toBe(403);
  });
});

test.each([
  ['group:friends#member', 'bot'],
  ['user', 'tenant'],
  ['user', 'group:friends'],
])('%s can not be the responder of %s', async (from, to) => {
  const body = {
    subject: from === 'user' ? `user:${userId}` : from,
    relation: 'responder',
    object: to === 'bot' ? `bot:${bot.botId}` : to === 'tenant' ? `tenant:${services.acme.tenantId}` : to,
  };
  const refused = await services.tenancy.call('POST', '/api/authorization-edges', {
    as: services.acme.admin,
    body,
  });
  expect(refused.status).toBe(400);
});
