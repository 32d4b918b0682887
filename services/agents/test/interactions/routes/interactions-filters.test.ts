import { randomUUID } from 'node:crypto';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { firstSample } from '@botyard/testing/samples';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
const base = '/api/interactions';

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});
afterAll(() => services?.close());

const get = (path: string, as = services.acme.admin) => services.agents.call('GET', `${base}${path}`, { as });
const textsOf = async (path: string): Promise<string[]> =>
  (await get(path)).body.map(({ text }: { text: string }) => text);

async function chatWith(texts: readonly string[], change: Partial<InboundMessage> = {}): Promise<string> {
  const chat = new Chat(services, bot);
  for (const [index, text] of texts.entries()) {
    await chat.say(text, change);
    await chat.answers(index + 1);
  }
  const [row] = await services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [chat.conversationId],
  );
  return row!.chat_id;
}

describe('messages of a chat', () => {
  test('are narrowed by direction, status, words and time', async () => {
    const chatId = await chatWith(['First Zebra', 'second', '100% zebra_x']);
    const path = `/chats/${chatId}/messages`;
    expect(await textsOf(`${path}?direction=in`)).toEqual(['100% zebra_x', 'second', 'First Zebra']);
    expect(await textsOf(`${path}?status=answered&limit=1`)).toEqual(['100% zebra_x']);
    expect(await textsOf(`${path}?text=zebra&direction=in`)).toEqual(['100% zebra_x', 'First Zebra']);
    // Not a pattern: a person's input is searched literally.
    expect(await textsOf(`${path}?text=${encodeURIComponent('0% z')}&direction=in`)).toEqual([
      '100% zebra_x',
    ]);
    expect(await textsOf(`${path}?text=${encodeURIComponent('%')}&direction=in`)).toEqual(['100% zebra_x']);
    expect(await textsOf(`${path}?to=2020-01-01`)).toEqual([]);
    expect(await textsOf(`${path}?from=2020-01-01&direction=out`)).toHaveLength(3);
    const { body } = await get(path);
    const middle = body.find(({ text }: { text: string }) => text === 'second').createdAt;
    expect(await textsOf(`${path}?direction=in&from=${middle}`)).toEqual(['100% zebra_x', 'second']);
    expect((await get(`${path}?direction=sideways`)).status).toBe(400);
    expect((await get(`${path}?from=yesterday`)).status).toBe(400);
  });

  test('are found by their pages, also while they are narrowed', async () => {
    const chatId = await chatWith(['a 1', 'b 2', 'a 3', 'a 4']);
    const first = await get(`/chats/${chatId}/messages?direction=in&text=a&limit=2`);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await services.agents.call('GET', next!, { as: services.acme.admin });
    const texts = [...first.body, ...second.body].map(({ text }: { text: string }) => text);
    expect(texts).toEqual(['a 4', 'a 3', 'a 1']);
  });
});

describe('a search for chats', () => {
  test('shows the newest sentence with the text, and none for a chat that only its title has', async () => {
    const word = `zircon${randomUUID().slice(0, 8)}`;
    const chatId = await chatWith([
      `I saw a ${word} once.`,
      `Good day! Do you sell ${word.toUpperCase()} rings? I pay cash.`,
      'thank you',
    ]);
    const titled = await chatWith(['hello'], {
      chat: { platformChatId: randomUUID(), kind: 'group', title: word },
    });
    const { body } = await get(`/chats?q=${word}`);
    const hits = new Map(body.map((chat: { chatId: string; hit?: object }) => [chat.chatId, chat.hit]));
    expect(hits.get(titled)).toBeUndefined();
    expect([...hits.keys()].sort()).toEqual([chatId, titled].sort());
    const { messageId, ...sentence } = hits.get(chatId) as { messageId: string };
    expect(sentence).toEqual({ before: 'Do you sell ', match: word.toUpperCase(), after: ' rings?' });
    const [newest] = (await get(`/chats/${chatId}/messages?text=rings`)).body;
    expect(messageId).toBe(newest.messageId);
    expect((await get('/chats')).body.every((chat: object) => !('hit' in chat))).toBe(true);
  });
});

describe('one message', () => {
  test('has its author, its numbers at the platform, and the outcome of the reply', async () => {
    const chat = new Chat(services, bot);
    const sender = { platformUserId: '77', name: 'Zoë', username: 'zoe' };
    await chat.say('hello', { platformMessageId: '4711', sender });
    await chat.answers(1);
    const [reply] = await chat.replies();
    await services.harness.publish(replyDelivered, {
      ...firstSample(replyDelivered),
      tenantId: bot.tenantId,
      botId: bot.botId,
      conversationId: chat.conversationId,
      replyId: reply!.message_id,
      state: 'sent',
      platformMessageIds: ['4712', '4713'],
      isUncertain: true,
    });
    await services.harness.settled('agents', 'webhooks');
    const out = (await get(`/messages/${reply!.message_id}`)).body;
    expect(out).toMatchObject({
      direction: 'out',
      status: 'sent',
      seq: 1,
      sender: null,
      isUncertain: true,
      platformMessageIds: ['4712', '4713'],
      deliveredAt: expect.any(String),
    });
    const sent = (await get(`/chats/${out.chatId}/messages?direction=out`)).body[0];
    expect(sent).toMatchObject({ status: 'sent', isUncertain: true });
    const listed = (await get(`/chats/${out.chatId}/messages?direction=in`)).body[0];
    expect((await get(`/messages/${listed.messageId}`)).body).toEqual({
      ...listed,
      seq: 1,
      sender,
      receivedAt: expect.any(String),
      platformMessageIds: ['4711'],
      isUncertain: false,
      deliveredAt: null,
    });
  });

  test('is 404 for another tenant, like a missing one', async () => {
    const chatId = await chatWith(['secret']);
    const [{ messageId }] = (await get(`/chats/${chatId}/messages`)).body;
    const answers = await Promise.all(
      [messageId, randomUUID()].map((id) => get(`/messages/${id}`, services.other.admin)),
    );
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [404, '{"error":"message not found"}'],
      [404, '{"error":"message not found"}'],
    ]);
  });
});

describe('chats', () => {
  const place = { platformChatId: '-1009', kind: 'group' as const, title: 'Dragon Keepers' };

  test('are narrowed by kind, platform and a part of the title, and one is read by its name', async () => {
    const chatId = await chatWith(['hi'], { chat: place });
    const idsOf = async (query: string) =>
      (await get(`/chats?${query}`)).body.map((chat: { chatId: string }) => chat.chatId);
    expect(await idsOf('text=dragon%20keep')).toEqual([chatId]);
    expect(await idsOf('kind=group&platform=messenger')).toContain(chatId);
    expect(await idsOf('kind=channel')).toEqual([]);
    expect(await idsOf('platform=email')).toEqual([]);
    const { body } = await get(`/chats/${chatId}`);
    expect(body).toMatchObject({ chatId, title: 'Dragon Keepers', kind: 'group' });
    expect((await get(`/chats/${chatId}`, services.other.admin)).status).toBe(404);
  });

  test('in one group have one history, over all its topics and no other group', async () => {
    const group = { ...place, platformChatId: '-2001' };
    const general = await chatWith(['one'], { chat: group });
    const topic = await chatWith(['two'], { chat: { ...group, threadId: '7' } });
    await chatWith(['elsewhere'], { chat: { ...group, platformChatId: '-2002' } });
    expect((await get(`/chats/${topic}`)).body.threadId).toBe('7');
    for (const chatId of [general, topic]) {
      const { body } = await get(`/chats/${chatId}/channel-messages?direction=in`);
      expect(body.map((message: { text: string; chatId: string }) => [message.text, message.chatId])).toEqual(
        [
          ['two', topic],
          ['one', general],
        ],
      );
    }
    expect(await textsOf(`/chats/${general}/channel-messages?text=ONE&direction=in`)).toEqual(['one']);
    expect((await get(`/chats/${general}/channel-messages`, services.other.admin)).status).toBe(404);
  });
});
