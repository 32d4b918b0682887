import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  callsFor,
  callsInChat,
  conversationOf,
  delivered,
  partsIn,
  publishReplies,
  textsIn,
} from '../../replies.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  openWebhooksServices,
  remove,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services);
  bot = await save(services, newIntegration(services));
});

beforeEach(() => services.messenger.clearFaults());

afterAll(() => closeWebhooksServices(services));

const twoParts = `${'word '.repeat(1000)}end`;

test.each(["can't parse entities: Unsupported start tag", 'ENTITY_BOUNDS_INVALID', 'ENTITIES_TOO_LONG'])(
  'entities that the platform refuses (%s): the same part is sent again once, as plain text (REQ-CHAT-3)',
  async (reason) => {
    const { reply, platformChatId } = conversationOf(bot);
    const formatted = reply('Hello, **Anna** <3');
    const description = `Bad Request: ${reason}`;
    services.messenger.failNext('sendMessage', {
      on: callsInChat(platformChatId),
      status: 400,
      description,
    });
    await publishReplies(services, formatted);
    expect(await delivered(services, formatted)).toMatchObject({ state: 'sent', isUncertain: false });
    const [first, second, ...more] = callsFor(services, platformChatId).map(({ params }) => params);
    expect(first).toMatchObject({ text: 'Hello, <b>Anna</b> &lt;3', parse_mode: 'HTML' });
    expect(second).toMatchObject({ text: 'Hello, Anna <3' });
    expect(second).not.toHaveProperty('parse_mode');
    expect(more).toEqual([]);
  },
);

test('plain text that is refused too is dropped, with the reason', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const refused = reply('Hello');
  const description = "Bad Request: can't parse entities: whatever";
  services.messenger.failNext('sendMessage', {
    on: callsInChat(platformChatId),
    status: 400,
    description,
    times: 2,
  });
  await publishReplies(services, refused);
  expect(await delivered(services, refused)).toMatchObject({ state: 'failed', lastError: description });
  expect(callsFor(services, platformChatId)).toHaveLength(2);
});

test('retry_after is honoured, and counts as no attempt (REQ-CHAT-5)', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const patient = reply('patient');
  services.messenger.failNext('sendMessage', { on: callsInChat(platformChatId), status: 429, retryAfter: 2 });
  await publishReplies(services, patient);
  expect(await delivered(services, patient)).toMatchObject({ state: 'sent', isUncertain: false });
  const [first, second, ...more] = callsFor(services, platformChatId);
  expect(more).toEqual([]);
  expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(2000);
  expect(await partsIn(services, platformChatId)).toMatchObject([{ attempts: 0, state: 'sent' }]);
});

test('while one chat has to wait, another continues', async () => {
  const [waiting, free] = [conversationOf(bot), conversationOf(bot)];
  const on = callsInChat(waiting.platformChatId);
  services.messenger.failNext('sendMessage', { on, status: 429, retryAfter: 600 });
  const waits = waiting.reply('waits');
  await publishReplies(services, waits);
  await eventually('the first is refused', () => callsFor(services, waiting.platformChatId).length > 0);
  const goes = free.reply('goes');
  await publishReplies(services, goes);
  await delivered(services, goes);
  expect(textsIn(services, waiting.platformChatId)).toEqual([]);
});

test('a person who blocked the bot: the rest is dropped immediately, and the chat is marked', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  services.messenger.blockChat(platformChatId);
  const [long, next] = [reply(twoParts), reply('and this')];
  await publishReplies(services, long, next);
  const description = 'Forbidden: bot was blocked by the user';
  expect(await delivered(services, long)).toMatchObject({ state: 'failed', lastError: description });
  expect(await delivered(services, next)).toMatchObject({ state: 'failed', lastError: description });
  expect(callsFor(services, platformChatId).length).toBeLessThanOrEqual(2);
  const [chat] = await services.harness.asOwner(
    'select blocked_at, blocked_reason from webhooks.chats where platform_chat_id = $1',
    [platformChatId],
  );
  expect(chat).toEqual({ blocked_at: expect.any(Date), blocked_reason: description });
  services.messenger.unblockChat(platformChatId);
  const again = reply('again');
  await publishReplies(services, again);
  expect(await delivered(services, again)).toMatchObject({ state: 'sent' });
});

test('an error of the platform is tried again, and noted as an attempt', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const retried = reply('retried');
  services.messenger.failNext('sendMessage', { on: callsInChat(platformChatId), status: 500 });
  await publishReplies(services, retried);
  expect(await delivered(services, retried)).toMatchObject({ state: 'sent' });
  expect(callsFor(services, platformChatId)).toHaveLength(2);
  expect(await partsIn(services, platformChatId)).toMatchObject([
    { attempts: 1, state: 'sent', last_error: null },
  ]);
});

test('an answer that never arrived: sent again, and recorded as uncertain (P9)', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const unclear = reply('unclear');
  services.messenger.fail('sendMessage', { on: callsInChat(platformChatId), cut: 'after' });
  await publishReplies(services, unclear);
  expect(await delivered(services, unclear)).toMatchObject({ state: 'sent', isUncertain: true });
  expect(callsFor(services, platformChatId)).toHaveLength(2);
});

test('no answers: sent twice at most, then dropped as uncertain, and the next reply is sent', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const [unclear, next] = [reply('never confirmed'), reply('next')];
  services.messenger.fail('sendMessage', { on: callsInChat(platformChatId), cut: 'after', times: 2 });
  await publishReplies(services, unclear, next);
  expect(await delivered(services, unclear)).toMatchObject({ state: 'failed', isUncertain: true });
  expect(await delivered(services, next)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(textsIn(services, platformChatId)).toEqual(['never confirmed', 'never confirmed', 'next']);
});

test.each([
  ['a page', { status: 200, body: '<html>Sign in</html>' }],
  ['an error without a code', { status: 200, body: { ok: false, description: 'later' } }],
  ['its own trouble', { status: 502, body: '<html>Bad Gateway</html>' }],
])(
  '%s as an answer means that the message was not accepted: it is retried, and is not uncertain',
  async (_what, fault) => {
    const { reply, platformChatId } = conversationOf(bot);
    const patient = reply('patient');
    services.messenger.fail('sendMessage', { on: callsInChat(platformChatId), ...fault, times: 2 });
    await publishReplies(services, patient);
    expect(await delivered(services, patient)).toMatchObject({ state: 'sent', isUncertain: false });
    expect(textsIn(services, platformChatId)).toEqual(['patient']);
  },
);

test('a success whose message has no number is a success: it is not sent again', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const numberless = reply('numberless');
  services.messenger.fail('sendMessage', {
    on: callsInChat(platformChatId),
    status: 200,
    body: { ok: true, result: true },
  });
  await publishReplies(services, numberless);
  expect(await delivered(services, numberless)).toMatchObject({ state: 'sent', platformMessageIds: [] });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
});

test('an expired reply is dropped with its reason, and the next one is sent', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const answerUntil = new Date(Date.now() + 3600_000).toISOString();
  const [hopeless, next] = [reply('hopeless', { answerUntil }), reply('next')];
  services.messenger.failNext('sendMessage', { on: callsInChat(platformChatId), status: 500, times: 100 });
  await publishReplies(services, hopeless);
  await eventually(
    'the first attempt is noted',
    async () => (await partsIn(services, platformChatId))[0]?.attempts,
  );
  await services.harness.asOwner(
    `update webhooks.replies set answer_until = now(), created_at = now() - interval '2 minutes' where reply_id = $1`,
    [hopeless.replyId],
  );
  expect(await delivered(services, hopeless)).toMatchObject({
    state: 'failed',
    isUncertain: false,
    lastError: 'Internal Server Error: restart',
  });
  services.messenger.clearFaults();
  await publishReplies(services, next);
  expect(await delivered(services, next)).toMatchObject({ state: 'sent' });
});

test.each([
  ['before', '-4123456', '-1002700000001'],
  ['after', '-4123457', '-1002700000002'],
])(
  'a group that became a supergroup gets the message there, once, if entities are refused %s the move is known',
  async (when, platformChatId, supergroupId) => {
    const { reply } = conversationOf(bot, platformChatId);
    const moved = reply('moved');
    const refuseEntities = (chatId: string) =>
      services.messenger.failNext('sendMessage', {
        on: callsInChat(chatId),
        status: 400,
        description: "Bad Request: can't parse entities: x",
      });
    if (when === 'before') refuseEntities(platformChatId);
    services.messenger.fail('sendMessage', {
      on: callsInChat(platformChatId),
      status: 400,
      body: {
        ok: false,
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: Number(supergroupId) },
      },
    });
    if (when === 'after') refuseEntities(supergroupId);
    await publishReplies(services, moved);
    expect(await delivered(services, moved)).toMatchObject({ state: 'sent' });
    expect(textsIn(services, platformChatId)).toEqual([]);
    expect(textsIn(services, supergroupId)).toEqual(['moved']);
  },
);

test('a reply of a deleted integration is dropped', async () => {
  const gone = await save(services, newIntegration(services));
  await remove(services, gone);
  const { reply, platformChatId } = conversationOf(gone);
  const late = reply('late');
  await publishReplies(services, late);
  expect(await delivered(services, late)).toMatchObject({
    state: 'failed',
    lastError: 'the integration was deleted',
  });
  expect(callsFor(services, platformChatId)).toEqual([]);
});

test('a reason that no database can store is stored in a cleaned form', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const odd = reply('odd');
  services.messenger.failNext('sendMessage', {
    on: callsInChat(platformChatId),
    status: 400,
    description: 'Bad Request: \0 \ud800',
  });
  await publishReplies(services, odd);
  expect(await delivered(services, odd)).toMatchObject({
    state: 'failed',
    lastError: 'Bad Request: \ufffd \ufffd',
  });
});

test('no token is in a table or a log line, even when the platform repeats it', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const leaky = reply('leaky');
  const description = `Bad Request: bot${bot.botToken} and ${bot.botToken} are wrong`;
  services.messenger.failNext('sendMessage', { on: callsInChat(platformChatId), status: 400, description });
  await publishReplies(services, leaky);
  const { lastError } = await delivered(services, leaky);
  expect(lastError).toContain('[secret]');
  const kept = JSON.stringify([
    lastError,
    await partsIn(services, platformChatId),
    services.harness.logLines,
  ]);
  expect(kept).not.toContain(bot.botToken.split(':')[1]);
});
