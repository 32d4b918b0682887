import { randomUUID } from 'node:crypto';
import { type StaffPresence, staffPresence } from '@botyard/contracts/events/chat-hints';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { signal } from '@botyard/shared/bus/signals';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationOf, publishReplies } from '../../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { openStream, saveChat, say } from './site.ts';

let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  bot = await saveChat(services);
});
afterAll(() => closeWebhooksServices(services));

/** A visitor with an open window, and staff at their chat. */
async function openChat() {
  const { body } = await say(webhooks, bot, { text: 'Hello' });
  await publishedAll(services);
  const { chat, conversationId } = (await eventsOf(services.harness, messageReceived)).findLast(
    ({ platformMessageId }) => platformMessageId === body.message.id,
  )!;
  const stream = await openStream(webhooks, bot, { token: body.token });
  await stream.has(({ event }) => event === 'ready');
  const agents = await services.harness.busAs('agents');
  return {
    stream,
    show: (change: Partial<StaffPresence>) =>
      signal(agents, staffPresence, {
        tenantId: bot.tenantId,
        botId: bot.botId,
        conversationId,
        chatId: randomUUID(),
        platform: 'webchat',
        chat: { platformChatId: chat.platformChatId },
        handling: 'person',
        userId: randomUUID(),
        name: 'Ada Okafor',
        state: 'typing',
        ...change,
      }),
    /** The marks of typing before an answer, which is published behind all signals so far. */
    typingBefore: async (text: string) => {
      const answer = conversationOf(bot, chat.platformChatId).reply(text, { platform: 'webchat' });
      await publishReplies(services, answer);
      await stream.has(({ data }) => data.text === text);
      return stream.events.filter(({ event }) => event === 'typing');
    },
  };
}

test('a visitor sees that staff who handle the chat type: once in 3 seconds, however many type, and without a name', async () => {
  const { stream, show, typingBefore } = await openChat();
  for (let index = 0; index < 20; index += 1) show({});
  await stream.has(({ event }) => event === 'typing');
  const marks = await typingBefore('the answer');
  // The instance tells its own windows, and hears its own hint about the same.
  expect(marks.length).toBeLessThanOrEqual(2);
  expect(marks[0]).toEqual({ event: 'typing', data: {} });
  await stream.close();
});

test('a visitor sees nothing of staff who only read, who leave, or who type while the bot handles the chat', async () => {
  const { stream, show, typingBefore } = await openChat();
  show({ state: 'here' });
  show({ state: 'gone' });
  show({ handling: 'bot' });
  show({ chat: { platformChatId: randomUUID() } });
  show({ botId: randomUUID() });
  expect(await typingBefore('the answer')).toEqual([]);
  await stream.close();
});
