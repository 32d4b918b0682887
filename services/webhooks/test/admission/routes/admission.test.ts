import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  post,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let instances: TestService[];

beforeAll(async () => {
  services = await openWebhooksServices();
  instances = [await startWebhooks(services), await startWebhooks(services)];
});

afterAll(() => closeWebhooksServices(services));

const instance = (index: number): TestService => instances[index % 2]!;

const newBot = async (): Promise<Integration> => await save(services, newIntegration(services));

/** A bot's events on the stream, once there are `count` of them. */
function published(botId: string, count: number) {
  return eventually(`${count} events are on the stream`, async () => {
    const events = (await eventsOf(services.harness, messageReceived)).filter(
      (event) => event.botId === botId,
    );
    return events.length >= count ? events : undefined;
  });
}

test('O-04: 50 simultaneous copies of an update, in two instances: 50 times 200, one delivery, one event', async () => {
  const bot = await newBot();
  const update = newUpdate(1);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => post(instance(index), bot, update)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  const deliveries = await services.harness.asOwner('select 1 from webhooks.deliveries where bot_id = $1', [
    bot.botId,
  ]);
  expect(deliveries).toHaveLength(1);
  // A later message, so that a second event of the first would be there before it.
  await post(instance(0), bot, newUpdate(1));
  const events = await published(bot.botId, 2);
  expect(events.map(({ seq }) => seq).sort()).toEqual([1, 2]);
});

test('200 simultaneous updates in 8 conversations, in two instances: seq is 1..n in each, without a gap', async () => {
  const bots = [await newBot(), await newBot()];
  const updates = Array.from({ length: 200 }, (_, index) => newUpdate(1 + (index % 4), `message ${index}`));
  const answers = await Promise.all(
    updates.map((update, index) => post(instance(index >> 3), bots[(index >> 2) % 2]!, update)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
  const events = (await Promise.all(bots.map(({ botId }) => published(botId, 100)))).flat();
  const conversations = Map.groupBy(events, ({ conversationId }) => conversationId);
  expect(conversations.size).toBe(8);
  for (const messages of conversations.values()) {
    const seqs = messages.map(({ seq }) => seq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  }
});

test('seq follows the order in which one sender waits for each answer (P6)', async () => {
  const bot = await newBot();
  for (let index = 0; index < 20; index += 1)
    await post(instance(index), bot, newUpdate(9, `message ${index}`));
  const events = await published(bot.botId, 20);
  const texts = events.sort((a, b) => a.seq - b.seq).map(({ text }) => text);
  expect(texts).toEqual(Array.from({ length: 20 }, (_, index) => `message ${index}`));
});

test('each topic of a forum is a conversation of its own, with a stable identifier', async () => {
  const bot = await newBot();
  const inTopic = (thread?: number) => {
    const update = newUpdate(7);
    const text = `@${services.messenger.bot(bot.botToken).username}`;
    const topic = thread ? { is_topic_message: true, message_thread_id: thread } : {};
    const chat = { id: -1001, type: 'supergroup', title: 'Forum' };
    const entities = [{ type: 'mention', offset: 0, length: text.length }];
    return { ...update, message: { ...update.message, chat, text, entities, ...topic } };
  };
  for (const thread of [5, 6, undefined, 5]) await post(instance(0), bot, inTopic(thread));
  const events = await published(bot.botId, 4);
  const byThread = Map.groupBy(events, ({ chat }) => chat.threadId);
  expect(new Set(events.map(({ conversationId }) => conversationId)).size).toBe(3);
  expect(
    byThread
      .get('5')!
      .map(({ seq }) => seq)
      .sort(),
  ).toEqual([1, 2]);
});
