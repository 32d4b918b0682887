import { randomInt } from 'node:crypto';
import { chatChanged } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { membershipIn } from '../../chat-updates.ts';
import {
  callsFor,
  conversationOf,
  delivered,
  expireLease,
  holdChat,
  publishReplies,
  textsIn,
} from '../../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  post,
  publishedAll,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  bot = await save(services, newIntegration(services));
});

afterAll(() => closeWebhooksServices(services));

const platformBotId = () => services.messenger.bot(bot.botToken).id;
const openChat = () => {
  const chatId = randomInt(1_000_000, 2 ** 40);
  return { chatId, ...conversationOf(bot, String(chatId)) };
};
const become = async (chatId: number, status: string, date?: number) => {
  const update = membershipIn(platformBotId(), chatId, status, date);
  expect((await post(webhooks, bot, update)).status).toBe(200);
};

/** The states that were announced of a chat, in their order. */
async function statesOf(chatId: number) {
  await publishedAll(services);
  const events = await eventsOf(services.harness, chatChanged);
  return events.filter(({ platformChatId }) => platformChatId === String(chatId)).map(({ state }) => state);
}

/** A moment before, or after, everything that has happened so far. */
const at = (ms: number) => new Date(Date.now() + ms).toISOString();

test('a person who blocks the bot: waiting messages are dropped unsent, and it is announced', async () => {
  const { chatId, platformChatId, reply } = openChat();
  const waiting = reply('waits', { askedAt: at(-5000) });
  await holdChat(services, bot, platformChatId);
  await publishReplies(services, waiting);
  await services.harness.settled('webhooks', 'agents');
  await become(chatId, 'kicked');
  expect(await delivered(services, waiting)).toMatchObject({
    state: 'failed',
    lastError: 'the person blocked the bot',
  });
  await expireLease(services, platformChatId);
  expect(await statesOf(chatId)).toEqual(['blocked']);
  expect(callsFor(services, platformChatId)).toEqual([]);
});

test('an answer that arrives after the block is not sent; one to a later message is', async () => {
  const { chatId, platformChatId, reply } = openChat();
  await become(chatId, 'kicked');
  const late = reply('late', { askedAt: at(-5000) });
  await publishReplies(services, late);
  expect(await delivered(services, late)).toMatchObject({ state: 'failed' });
  const newReply = reply('asked anew', { askedAt: at(5000) });
  await publishReplies(services, newReply);
  expect(await delivered(services, newReply)).toMatchObject({ state: 'sent' });
  expect(textsIn(services, platformChatId)).toEqual(['asked anew']);
  expect(await statesOf(chatId)).toEqual(['blocked', 'active']);
});

test('a person who unblocks the bot is answered', async () => {
  const { chatId, platformChatId, reply } = openChat();
  await become(chatId, 'kicked', 1000);
  await become(chatId, 'member', 1001);
  const answer = reply('welcome back', { askedAt: at(-5000) });
  await publishReplies(services, answer);
  expect(await delivered(services, answer)).toMatchObject({ state: 'sent' });
  expect(textsIn(services, platformChatId)).toEqual(['welcome back']);
  expect(await statesOf(chatId)).toEqual(['blocked', 'active']);
});

test('an older change that arrives later, and one that arrives twice, change nothing', async () => {
  const { chatId } = openChat();
  await become(chatId, 'kicked', 1000);
  await become(chatId, 'member', 1005);
  await become(chatId, 'kicked', 1003);
  const again = membershipIn(platformBotId(), chatId, 'member', 1006);
  for (const update of [again, again]) await post(webhooks, bot, update);
  expect(await statesOf(chatId)).toEqual(['blocked', 'active']);
});

test('nothing is announced when a bot is added to a group, or was never in it', async () => {
  const groupId = -randomInt(1_000_000, 2 ** 31);
  await become(groupId, 'member');
  expect(await statesOf(groupId)).toEqual([]);
});

test('a send that the chat refuses (403) blocks it, and everybody learns of it', async () => {
  const { chatId, platformChatId, reply } = openChat();
  services.messenger.blockChat(platformChatId);
  const refused = reply('refused', { askedAt: at(-5000) });
  await publishReplies(services, refused);
  expect(await delivered(services, refused)).toMatchObject({ state: 'failed' });
  const next = reply('next', { askedAt: at(-4000) });
  await publishReplies(services, next);
  expect(await delivered(services, next)).toMatchObject({ state: 'failed' });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
  await eventually('it is announced', async () => (await statesOf(chatId)).length > 0);
  expect(await statesOf(chatId)).toEqual(['blocked']);
  services.messenger.unblockChat(platformChatId);
});

test('a person who asks to stop gets nothing that still waits, except for the confirmation', async () => {
  const { platformChatId, reply } = openChat();
  const long = reply('a long answer', { askedAt: at(-5000) });
  await holdChat(services, bot, platformChatId);
  const stop = reply('All right', { askedAt: at(-4000), stopsEarlier: true });
  await publishReplies(services, long, stop);
  expect(await delivered(services, long)).toMatchObject({
    state: 'failed',
    lastError: 'the person asked to stop',
  });
  await expireLease(services, platformChatId);
  expect(await delivered(services, stop)).toMatchObject({ state: 'sent' });
  expect(textsIn(services, platformChatId)).toEqual(['All right']);
});
