import { messageReceived, replyReported } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationOf, delivered, publishReplies } from '../../replies.ts';
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

/** A visitor who has written, and got these answers. */
async function answeredVisitor(texts: readonly string[]) {
  const { body } = await say(webhooks, bot, { text: 'Hello' });
  await publishedAll(services);
  const { chat, conversationId } = (await eventsOf(services.harness, messageReceived)).findLast(
    ({ platformMessageId }) => platformMessageId === body.message.id,
  )!;
  const conversation = conversationOf(bot, chat.platformChatId);
  const replies = texts.map((text) =>
    conversation.reply(text, { platform: 'webchat', conversationId, chat }),
  );
  await publishReplies(services, ...replies);
  for (const reply of replies) expect(await delivered(services, reply)).toMatchObject({ state: 'sent' });
  return { token: body.token as string, replyIds: replies.map(({ replyId }) => replyId) };
}

/** The replies that were reported as read, in any order. */
async function readOf(replyIds: readonly string[]): Promise<string[]> {
  await publishedAll(services);
  const reports = (await eventsOf(services.harness, replyReported)).filter(({ replyId }) =>
    replyIds.includes(replyId),
  );
  expect(reports.every(({ state }) => state === 'read')).toBe(true);
  return reports.map(({ replyId }) => replyId);
}

test('a message tells which answers were read before it, each once, and no later one', async () => {
  const { token, replyIds } = await answeredVisitor(['One', 'Two', 'Three']);
  expect(await readOf(replyIds)).toEqual([]);
  for (const readTo of [3, 3, 1]) await say(webhooks, bot, { token, readTo });
  expect((await readOf(replyIds)).toSorted()).toEqual(replyIds.slice(0, 2).toSorted());
  await say(webhooks, bot, { token, readTo: 1_000_000 });
  expect((await readOf(replyIds)).toSorted()).toEqual(replyIds.toSorted());
});

test('a window that comes back tells it with its stream', async () => {
  const { token, replyIds } = await answeredVisitor(['One']);
  const stream = await openStream(webhooks, bot, { token, readTo: 2 });
  await stream.has(({ event }) => event === 'ready');
  await eventually('it is reported', async () => (await readOf(replyIds)).length === 1 || undefined);
  await stream.close();
});

test('a mark of one visitor says nothing about answers to another one', async () => {
  const [one, other] = [await answeredVisitor(['For one']), await answeredVisitor(['For the other'])];
  await say(webhooks, bot, { token: one.token, readTo: 2 });
  expect(await readOf(one.replyIds)).toEqual(one.replyIds);
  expect(await readOf(other.replyIds)).toEqual([]);
});
