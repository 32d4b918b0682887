import { randomUUID } from 'node:crypto';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
const base = '/api/interactions/chats';

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterAll(() => services?.close());

const get = (end = '', as = services.acme.admin) => services.agents.call('GET', `${base}${end}`, { as });

async function chatIdOf({ conversationId }: Chat): Promise<string> {
  const [row] = await services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [conversationId],
  );
  return row!.chat_id;
}

test("a chat's messages are readable with direction, agent and state, the newest first", async () => {
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const chatId = await chatIdOf(chat);
  const { status, body } = await get(`/${chatId}/messages`);
  expect(status).toBe(200);
  const common = { chatId, messageId: expect.any(String), createdAt: expect.any(String) };
  const [agentId] = bot.agentIds;
  expect(body).toEqual([
    {
      ...common,
      direction: 'out',
      author: { kind: 'bot', name: 'Agent' },
      text: 're: hello',
      agentId,
      agentVersion: 1,
      status: 'sending',
    },
    {
      ...common,
      direction: 'in',
      author: { kind: 'person', name: expect.any(String) },
      text: 'hello',
      agentId,
      status: 'answered',
    },
  ]);
});

test('a message that was refused shows the reason', async () => {
  const { tenancy, acme } = services;
  const chat = new Chat(services, bot);
  const sender = { platformUserId: '666', name: 'Mallory' };
  const muted = { platform: 'messenger', platformUserId: sender.platformUserId };
  const { body: mute } = await tenancy.call('POST', '/api/auth/moderation', { as: acme.admin, body: muted });
  await chat.say('hello', { sender });
  await chat.isIdle();
  const { body } = await get(`/${await chatIdOf(chat)}/messages`);
  expect(body).toEqual([expect.objectContaining({ text: 'hello', status: 'ignored', refusal: 'muted' })]);
  await tenancy.call('DELETE', `/api/auth/moderation/${mute.muteId}`, { as: acme.admin });
});

test.each(['sent', 'failed'] as const)('a reply that was %s is shown as such', async (state) => {
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const [reply] = await chat.replies();
  const { tenantId, botId } = bot;
  await services.harness.publish(replyDelivered, {
    tenantId,
    botId,
    conversationId: chat.conversationId,
    replyId: reply!.message_id,
    state,
    platformMessageIds: ['1'],
    isUncertain: false,
    ...(state === 'failed' ? { lastError: 'Forbidden: bot was blocked by the user' } : {}),
  });
  await services.harness.settled('agents', 'webhooks');
  const { body } = await get(`/${await chatIdOf(chat)}/messages`);
  expect(body[0].status).toBe(state);
});

test("a delivery in another tenant's name changes nothing", async () => {
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const [reply] = await chat.replies();
  await services.harness.publish(replyDelivered, {
    tenantId: services.other.tenantId,
    botId: bot.botId,
    conversationId: chat.conversationId,
    replyId: reply!.message_id,
    state: 'sent',
    platformMessageIds: [],
    isUncertain: false,
  });
  await services.harness.settled('agents', 'webhooks');
  expect((await chat.replies())[0]?.status).toBe('sending');
});

test('chats are listed for the tenant, narrowed to a bot, in pages', async () => {
  const ownBot = await createBot(services, services.acme);
  const chats: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const chat = new Chat(services, ownBot);
    await chat.say('hello');
    await chat.answers(1);
    chats.push(await chatIdOf(chat));
  }
  const first = await get(`?botId=${ownBot.botId}&limit=2`);
  expect(first.body.map(({ chatId }: { chatId: string }) => chatId)).toEqual(chats.toReversed().slice(0, 2));
  expect(first.body[0]).toEqual({
    chatId: chats[2],
    botId: ownBot.botId,
    botName: 'Support',
    people: [{ personId: expect.any(String), name: 'Anna Keller' }],
    lastMessage: {
      messageId: expect.any(String),
      createdAt: expect.any(String),
      author: { kind: 'bot' },
      text: 're: hello',
    },
    handling: 'bot',
    assigneeUserId: null,
    platform: 'messenger',
    title: 'Anna Keller',
    kind: 'private',
    state: 'open',
    isBlocked: false,
    isUnread: true,
    labels: [],
    createdAt: expect.any(String),
    lastMessageAt: expect.any(String),
  });
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
  const second = await services.agents.call('GET', next!, { as: services.acme.admin });
  expect(second.body.map(({ chatId }: { chatId: string }) => chatId)).toEqual([chats[0]]);
  expect((await get()).body.length).toBeGreaterThan(3);
});

test("another tenant's chat is 404 like a missing one, and strangers and members see none", async () => {
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const chatId = await chatIdOf(chat);
  const answers = [
    await get(`/${chatId}/messages`, services.other.admin),
    await get(`/${randomUUID()}/messages`, services.other.admin),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect(answers[0]?.text).toBe(answers[1]?.text);
  expect((await get('', services.other.admin)).body).toEqual([]);
  expect((await get('', services.acme.member)).status).toBe(403);
  expect((await get('', services.acme.stranger)).status).toBe(400);
});
