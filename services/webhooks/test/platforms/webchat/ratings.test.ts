import { randomUUID } from 'node:crypto';
import { messageReceived, replyRated } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationOf, delivered, publishReplies, type Reply } from '../../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { openStream, postTo, saveChat, say } from './site.ts';

let services: WebhooksServices;
let service: TestService;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  service = await startWebhooks(services);
  bot = await saveChat(services);
});
afterAll(() => closeWebhooksServices(services));

/** A visitor with an answer of an agent, or another reply. */
async function answered(text = 'Hello', change: Partial<Reply> = { isAnswer: true }, of = bot) {
  const { body } = await say(service, of);
  const token = body.token as string;
  await publishedAll(services);
  const { chat, conversationId } = (await eventsOf(services.harness, messageReceived)).findLast(
    ({ platformMessageId }) => platformMessageId === body.message.id,
  )!;
  const { reply } = conversationOf(of, chat.platformChatId);
  const sent = { ...reply(text, { platform: 'webchat', ...change }), conversationId };
  await publishReplies(services, sent);
  await delivered(services, sent);
  const messages = async () => {
    const stream = await openStream(service, of, { token, after: 0 });
    await stream.has(({ data }) => data.author !== 'visitor' && data.text !== undefined);
    await eventually('all of the answer has come', async () => {
      const parts = await services.harness.asOwner(
        'select 1 from webhooks.webchat_messages where visitor_id = $1',
        [chat.platformChatId],
      );
      return stream.texts().length === parts.length;
    });
    await stream.close();
    return stream.events.filter(({ event }) => event === 'message').map(({ data }) => data);
  };
  const rate = (messageId: unknown, rating: unknown, by = token) =>
    postTo(service, of, 'ratings', { token: by, messageId, rating });
  const ratings = async () => {
    await publishedAll(services);
    return (await eventsOf(services.harness, replyRated)).filter(({ replyId }) => replyId === sent.replyId);
  };
  const theirs = async () => (await messages()).filter(({ author }) => author !== 'visitor');
  return { token, sent, conversationId, rate, ratings, messages, theirs, visitorMessageId: body.message.id };
}

test('a thumb rates the answer, the other one replaces it, it can be taken back, and windows that open later show it', async () => {
  const { sent, conversationId, rate, ratings, theirs } = await answered();
  const [answer] = await theirs();
  expect(answer).toMatchObject({ isRateable: true });
  expect(answer).not.toHaveProperty('rating');
  for (const rating of ['up', 'down', null, 'down'])
    expect(await rate(answer!.id, rating)).toMatchObject({ status: 200, body: { outcome: 'rated' } });
  const ofAnswer = { replyId: sent.replyId, conversationId, botId: bot.botId };
  expect(await ratings()).toMatchObject([
    { ...ofAnswer, rating: 'up' },
    { ...ofAnswer, rating: 'down' },
    { ...ofAnswer, rating: null },
    { ...ofAnswer, rating: 'down' },
  ]);
  expect(await theirs()).toMatchObject([{ id: answer!.id, rating: 'down', position: answer!.position }]);
});

test('the other open windows of the visitor get the rating at once', async () => {
  const { token, rate, theirs } = await answered();
  const [answer] = await theirs();
  const stream = await openStream(service, bot, { token, after: answer!.seq });
  await stream.has(({ event }) => event === 'ready');
  await rate(answer!.id, 'up');
  await stream.has(({ data }) => data.id === answer!.id && data.rating === 'up');
  await stream.close();
});

test('a long answer is rated at its end, once for all of its parts', async () => {
  const { rate, ratings, theirs } = await answered(`${'word '.repeat(2000)}end`);
  const parts = await theirs();
  expect(parts.map(({ isRateable }) => isRateable === true)).toEqual([false, true]);
  expect(await rate(parts[0]!.id, 'up')).toMatchObject({ status: 404 });
  expect(await rate(parts[1]!.id, 'up')).toMatchObject({ status: 200 });
  expect(await ratings()).toHaveLength(1);
});

test.each<[string, Partial<Reply>]>([
  ['a message of staff', { author: 'staff' }],
  ['a notice of the bot', {}],
])('%s has no thumbs and can not be rated', async (_what, change) => {
  const { rate, ratings, theirs, visitorMessageId } = await answered('Hello', change);
  const [message] = await theirs();
  expect(message).not.toHaveProperty('isRateable');
  expect(await rate(message!.id, 'up')).toMatchObject({ status: 404 });
  expect(await rate(visitorMessageId, 'up')).toMatchObject({ status: 404 });
  expect(await ratings()).toEqual([]);
});

test("a visitor rates no answer of another visitor's chat, of another bot, or that is unknown", async () => {
  const [mine, theirs] = [await answered(), await answered()];
  const other = await saveChat(services);
  const [answer] = await theirs.theirs();
  expect(await mine.rate(answer!.id, 'down')).toMatchObject({ status: 404 });
  expect(await mine.rate(randomUUID(), 'down')).toMatchObject({ status: 404 });
  const atOther = { token: theirs.token, messageId: answer!.id, rating: 'down' };
  expect(await postTo(service, other, 'ratings', atOther)).toMatchObject({ status: 401 });
  expect(await theirs.ratings()).toEqual([]);
  expect((await theirs.theirs())[0]).not.toHaveProperty('rating');
});

test('a rating without a session, from another site, or of another form is refused', async () => {
  const { token, rate, ratings, theirs } = await answered();
  const [answer] = await theirs();
  const line = { token, messageId: answer!.id, rating: 'up' };
  expect(await rate(answer!.id, 'up', 'x'.repeat(43))).toMatchObject({ status: 401 });
  expect(await postTo(service, bot, 'ratings', { ...line, token: undefined })).toMatchObject({ status: 400 });
  const evil = { origin: 'https://evil.example' };
  expect(await postTo(service, bot, 'ratings', line, evil)).toMatchObject({ status: 403 });
  for (const rating of ['sideways', 1, '👍', 'up'.repeat(10_000), undefined])
    expect(await rate(answer!.id, rating)).toMatchObject({ status: 400 });
  for (const messageId of ['x', null, "' or true --"])
    expect(await rate(messageId, 'up')).toMatchObject({ status: 400 });
  expect(await rate(answer!.id, 'x'.repeat(100_000))).toMatchObject({ status: 413 });
  expect(await ratings()).toEqual([]);
});

test('a visitor who presses faster than people do has to wait, and nobody else has', async () => {
  const [fast, other] = [await answered(), await answered()];
  const [[answer], [calm]] = [await fast.theirs(), await other.theirs()];
  const presses = Array.from({ length: 60 }, (_, at) => fast.rate(answer!.id, at % 2 ? 'up' : 'down'));
  const statuses = (await Promise.all(presses)).map(({ status }) => status);
  const stored = statuses.filter((status) => status === 200).length;
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(stored).toBeLessThan(20);
  expect(await fast.ratings()).toHaveLength(stored);
  expect(await other.rate(calm!.id, 'up')).toMatchObject({ status: 200 });
  expect(await say(service, bot, { token: fast.token })).toMatchObject({ status: 200 });
});

test('where thumbs are not offered, settings say so and no rating is accepted', async () => {
  const silent = await saveChat(services, { thumbs: 'none' });
  const { rate, ratings, theirs } = await answered('Hello', { isAnswer: true }, silent);
  const [answer] = await theirs();
  expect(await rate(answer!.id, 'up')).toMatchObject({ status: 403 });
  expect(await ratings()).toEqual([]);
});
