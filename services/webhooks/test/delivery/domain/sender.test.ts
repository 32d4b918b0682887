import { randomUUID } from 'node:crypto';
import { replyCreated } from '@botyard/contracts/events/agents';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callsFor, conversationOf, delivered, publishReplies, textsIn } from '../../replies.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  openWebhooksServices,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let bot: Integration;
let otherNamespace: string;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services);
  await startWebhooks(services);
  // Separate on the bus, with the same database: an event that is published to both is delivered to the service
  // twice.
  otherNamespace = `${services.harness.namespace}b`;
  await services.harness.busAs('tenancy', { namespace: otherNamespace });
  await services.harness.busAs('agents', { namespace: otherNamespace });
  await startWebhooks(services, {}, { namespace: otherNamespace });
  bot = await save(services, newIntegration(services));
});

afterAll(() => closeWebhooksServices(services));

test('a reply is sent as one message in the formatting of the platform, and is announced with its number', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const hello = reply('Hello, **Anna**.');
  await publishReplies(services, hello);
  const event = await delivered(services, hello);
  const [sent] = services.messenger.sent.filter(({ chatId }) => chatId === platformChatId);
  expect(sent?.entry).toMatchObject({ html: 'Hello, <b>Anna</b>.', text: 'Hello, Anna.' });
  expect(event).toEqual({
    tenantId: bot.tenantId,
    botId: bot.botId,
    conversationId: hello.conversationId,
    replyId: hello.replyId,
    state: 'sent',
    platformMessageIds: [String(sent?.entry.messageId)],
    isUncertain: false,
  });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
});

test('a reply in a topic is sent to that topic', async () => {
  const { reply, platformChatId } = conversationOf(bot, '-1002233445566');
  const inTopic = reply('Here', {
    chat: { platformChatId, kind: 'group', title: 'Forum', threadId: '77' },
  });
  await publishReplies(services, inTopic);
  await delivered(services, inTopic);
  expect(callsFor(services, platformChatId)[0]?.params).toMatchObject({ message_thread_id: 77 });
});

test('a long reply arrives in parts, in order, with nothing lost between them', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const words = Array.from({ length: 2400 }, (_, index) => `w${index}`);
  const long = reply(words.join(' '));
  await publishReplies(services, long);
  const { platformMessageIds } = await delivered(services, long);
  const texts = textsIn(services, platformChatId);
  expect(texts.length).toBeGreaterThan(2);
  expect(platformMessageIds).toHaveLength(texts.length);
  expect(texts.join(' ').split(/\s+/)).toEqual(words);
});

describe('exactly once (REQ-CHAT-1)', () => {
  test('an event that is delivered twice, to two instances, is one message', async () => {
    const { reply, platformChatId } = conversationOf(bot);
    const once = reply('once');
    const eventId = randomUUID();
    await Promise.all(
      [services.harness.namespace, otherNamespace].map((namespace) =>
        services.harness.publish(replyCreated, once, { eventId, namespace }),
      ),
    );
    await delivered(services, once);
    const last = reply('last');
    await publishReplies(services, last);
    await delivered(services, last);
    expect(callsFor(services, platformChatId)).toHaveLength(2);
    expect(textsIn(services, platformChatId)).toEqual(['once', 'last']);
  });

  test('a reply that is published again under another id is one message', async () => {
    const { reply, platformChatId } = conversationOf(bot);
    const [first, second] = [reply('first'), reply('second')];
    await publishReplies(services, first, first, first);
    await delivered(services, first);
    await publishReplies(services, first, second, first);
    await delivered(services, second);
    expect(textsIn(services, platformChatId)).toEqual(['first', 'second']);
    expect(callsFor(services, platformChatId)).toHaveLength(2);
  });

  test('100 replies to 25 chats through three instances: each arrives once, in the order of its chat', async () => {
    const chats = Array.from({ length: 25 }, () => conversationOf(bot));
    const replies = Array.from({ length: 4 }, (_, index) =>
      chats.map(({ reply }) => reply(`reply ${index}`)),
    );
    await publishReplies(services, ...replies.flat());
    await eventually('all have arrived', () =>
      chats.every(({ platformChatId }) => textsIn(services, platformChatId).length >= 4),
    );
    for (const { platformChatId } of chats) {
      expect(textsIn(services, platformChatId)).toEqual(['reply 0', 'reply 1', 'reply 2', 'reply 3']);
      expect(callsFor(services, platformChatId)).toHaveLength(4);
    }
  });
});

describe('order (REQ-CHAT-2)', () => {
  test('replies whose events arrive in the wrong order are sent in the right one', async () => {
    const { reply, platformChatId } = conversationOf(bot);
    const [first, second, third] = [reply('one'), reply('two'), reply('three')];
    await publishReplies(services, third, second);
    await services.harness.settled('webhooks', 'agents');
    expect(textsIn(services, platformChatId)).toEqual([]);
    await publishReplies(services, first);
    await delivered(services, third);
    expect(textsIn(services, platformChatId)).toEqual(['one', 'two', 'three']);
  });

  test('a missing reply delays its own conversation only', async () => {
    const [blocked, free] = [conversationOf(bot), conversationOf(bot)];
    blocked.reply('never published');
    await publishReplies(services, blocked.reply('waits'), free.reply('goes'));
    await services.messenger.sent.waitFor(({ chatId }) => chatId === free.platformChatId);
    expect(textsIn(services, blocked.platformChatId)).toEqual([]);
  });
});

test('five messages to a private chat are paced: after the first three one a second (REQ-CHAT-5)', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const replies = ['1', '2', '3', '4', '5'].map((text) => reply(text));
  const begun = Date.now();
  await publishReplies(services, ...replies);
  await delivered(services, replies[4]!);
  const times = callsFor(services, platformChatId).map(({ receivedAt }) => receivedAt);
  expect(times).toHaveLength(5);
  // From the beginning: how late a message arrives is up to the machine.
  expect(times[4]! - begun).toBeGreaterThanOrEqual(2000);
});

test('a reply without visible text is announced as failed, and the next one is sent', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const [empty, next] = [reply(' \n '), reply('next')];
  await publishReplies(services, empty, next);
  expect(await delivered(services, empty)).toMatchObject({ state: 'failed', platformMessageIds: [] });
  await delivered(services, next);
  expect(textsIn(services, platformChatId)).toEqual(['next']);
});
