import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newGroupId, supergroupOf } from '../../chat-updates.ts';
import {
  callsFor,
  callsInChat,
  conversationOf,
  delivered,
  partsIn,
  publishReplies,
  type Reply,
  textsIn,
} from '../../replies.ts';
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
let strict: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services);
  bot = await save(services, newIntegration(services));
  strict = await save(services, newIntegration(services, { lostTopic: 'none' }));
});

beforeEach(() => services.messenger.clearFaults());

afterAll(() => closeWebhooksServices(services));

const twoParts = `${'word '.repeat(1000)}end`;
const newGroup = () => String(supergroupOf(newGroupId()));

/** A reply to a topic, of which the messenger says something in this group. */
function toTopic(owner: Integration, platformChatId: string, description: string, text = 'Hello') {
  const { reply } = conversationOf(owner, platformChatId);
  const kind = platformChatId.startsWith('-') ? 'group' : 'private';
  const chat = {
    platformChatId,
    kind,
    title: 'Team',
    threadId: '77',
    threadTitle: 'Returns & <more>',
  } as const;
  services.messenger.fail('sendMessage', {
    on: ({ params }) => String(params.chat_id) === platformChatId && params.message_thread_id !== undefined,
    status: 400,
    body: { ok: false, error_code: 400, description: `Bad Request: ${description}` },
    times: 100,
  });
  return reply(text, { chat });
}

test('a reply to a topic that is gone goes to the general topic of a group, with its name in front', async () => {
  const platformChatId = newGroup();
  const lost = toTopic(bot, platformChatId, 'message thread not found', 'Your **parcel**');
  await publishReplies(services, lost);
  expect(await delivered(services, lost)).toMatchObject({ state: 'sent' });
  const [, second, ...more] = callsFor(services, platformChatId).map(({ params }) => params);
  expect(second).toMatchObject({ text: '<b>Returns &amp; &lt;more&gt;</b>\n\nYour <b>parcel</b>' });
  expect(second).not.toHaveProperty('message_thread_id');
  expect(more).toEqual([]);
});

test('in a private chat it goes without the topic, and without its name', async () => {
  const { platformChatId } = conversationOf(bot);
  const lost = toTopic(bot, platformChatId, 'message thread not found');
  await publishReplies(services, lost);
  expect(await delivered(services, lost)).toMatchObject({ state: 'sent' });
  expect(textsIn(services, platformChatId)).toEqual(['Hello']);
});

test('where the setting says so, it is not sent, and none of its parts is tried', async () => {
  const platformChatId = newGroup();
  const lost = toTopic(strict, platformChatId, 'message thread not found', twoParts);
  await publishReplies(services, lost);
  const lastError = 'Bad Request: message thread not found';
  expect(await delivered(services, lost)).toMatchObject({ state: 'failed', lastError });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
});

test('a closed topic: given up at once with its reason, and other topics go on', async () => {
  const platformChatId = newGroup();
  const closed = toTopic(bot, platformChatId, 'TOPIC_CLOSED', twoParts);
  await publishReplies(services, closed);
  const lastError = 'Bad Request: TOPIC_CLOSED';
  expect(await delivered(services, closed)).toMatchObject({ state: 'failed', lastError, isUncertain: false });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
  expect(await partsIn(services, platformChatId)).toMatchObject([
    { state: 'failed', last_error: lastError },
    { state: 'failed', last_error: lastError },
  ]);
  const other = conversationOf(bot, platformChatId).reply('general');
  await publishReplies(services, other);
  expect(await delivered(services, other)).toMatchObject({ state: 'sent' });
});

/** A reply to what one person said unseen in a group. */
function unseen(platformChatId: string, text: string): Reply {
  const { reply } = conversationOf(bot, platformChatId);
  const receiver = { receiverId: '5512345678', receivedId: '41' };
  return reply(text, { chat: { platformChatId, kind: 'group', title: 'Team', ...receiver } });
}

test('an answer to what only the bot saw in a group is for its sender alone', async () => {
  const platformChatId = newGroup();
  const secret = unseen(platformChatId, 'You earn 3000');
  await publishReplies(services, secret);
  await delivered(services, secret);
  expect(callsFor(services, platformChatId).map(({ params }) => params)).toMatchObject([
    {
      receiver_user_id: 5512345678,
      ephemeral_message_parameters: { receiver_user_id: 5512345678 },
      reply_parameters: { ephemeral_message_id: 41 },
    },
  ]);
});

test.each([
  ['its message is too old', 'message to be replied not found', 2],
  ['the bot may not', 'CHAT_WRITE_FORBIDDEN', 1],
  ['the chat has none', 'BOT_NOT_ADMIN', 2],
])(
  'where the platform refuses that because %s, the others never see it',
  async (_why, description, calls) => {
    const platformChatId = newGroup();
    services.messenger.failNext('sendMessage', {
      on: callsInChat(platformChatId),
      status: 400,
      description: `Bad Request: ${description}`,
      times: 100,
    });
    const secret = unseen(platformChatId, twoParts);
    await publishReplies(services, secret);
    expect(await delivered(services, secret)).toMatchObject({
      state: 'failed',
      lastError: `Bad Request: ${description}`,
    });
    const made = callsFor(services, platformChatId);
    expect(made).toHaveLength(calls);
    for (const { params } of made) expect(params).toMatchObject({ receiver_user_id: 5512345678 });
    services.messenger.clearFaults();
    const open = conversationOf(bot, platformChatId).reply('for all');
    await publishReplies(services, open);
    expect(await delivered(services, open)).toMatchObject({ state: 'sent' });
  },
);

/** The seconds until a chat is due. */
async function dueInSeconds(platformChatId: string): Promise<number> {
  const [chat] = await services.harness.asOwner<{ seconds: number }>(
    'select extract(epoch from ready_at - now())::int as seconds from webhooks.chats where platform_chat_id = $1',
    [platformChatId],
  );
  return chat?.seconds ?? 0;
}

/** A reply whose first send was refused with a wait. */
async function askedToWait(retryAfter: number, change: Partial<Reply> = {}) {
  const { reply, platformChatId } = conversationOf(bot);
  services.messenger.failNext('sendMessage', { on: callsInChat(platformChatId), status: 429, retryAfter });
  const waiting = reply('patient', change);
  await publishReplies(services, waiting);
  await eventually('the wait is noted', async () => (await dueInSeconds(platformChatId)) > 60);
  return { waiting, platformChatId };
}

test('a wait of many hours is honoured whole, and shown with its end', async () => {
  const { platformChatId } = await askedToWait(60_259);
  expect(await dueInSeconds(platformChatId)).toBeGreaterThan(60_000);
  expect(await partsIn(services, platformChatId)).toMatchObject([
    { state: 'queued', last_error: expect.stringMatching(/^the platform asks to wait until \d{4}-/) },
  ]);
});

test('a wait does not count against what a reply is worth', async () => {
  const answerUntil = new Date(Date.now() + 1000).toISOString();
  const { waiting, platformChatId } = await askedToWait(7200, { answerUntil });
  services.messenger.failNext('sendMessage', { on: callsInChat(platformChatId), status: 500 });
  await services.harness.asOwner(
    `update webhooks.replies set answer_until = now() - interval '2 hours' + interval '1 minute',
       created_at = now() - interval '3 hours' where reply_id = $1`,
    [waiting.replyId],
  );
  await services.harness.asOwner('update webhooks.chats set ready_at = now() where platform_chat_id = $1', [
    platformChatId,
  ]);
  expect(await delivered(services, waiting)).toMatchObject({ state: 'sent' });
});

test('a reply that would wait for more than a day fails with its reason', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  services.messenger.failNext('sendMessage', {
    on: callsInChat(platformChatId),
    status: 429,
    retryAfter: 90_000,
  });
  const hopeless = reply(twoParts);
  await publishReplies(services, hopeless);
  const lastError = 'the platform asks to wait for more than a day';
  expect(await delivered(services, hopeless)).toMatchObject({ state: 'failed', lastError });
  const { waiting, platformChatId: other } = await askedToWait(81_227);
  services.messenger.failNext('sendMessage', { on: callsInChat(other), status: 429, retryAfter: 8000 });
  await services.harness.asOwner('update webhooks.chats set ready_at = now() where platform_chat_id = $1', [
    other,
  ]);
  expect(await delivered(services, waiting)).toMatchObject({ state: 'failed', lastError });
});
