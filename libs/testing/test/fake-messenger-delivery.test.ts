import { afterEach, expect, test, vi } from 'vitest';
import { FakeMessenger, startFakeMessenger } from '../src/fake-messenger.ts';
import { startReceiver } from './webhook-receiver.ts';

const token = '4711:secret-of-the-bot';
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(script?: Parameters<typeof startReceiver>[0], retryScale = 0.001) {
  const receiver = await startReceiver(script);
  const messenger = await startFakeMessenger({ limitsWebhookRate: false, retryScale });
  messenger.addBot({ token, username: 'acme_bot' });
  closers.push(messenger.close.bind(messenger), receiver.close);
  return { receiver, messenger };
}

async function setWebhook(messenger: FakeMessenger, params: Record<string, string>): Promise<void> {
  await fetch(`${messenger.url}/bot${token}/setWebhook`, {
    method: 'POST',
    body: new URLSearchParams(params),
  });
}

test("a person's message reaches the webhook as an update, with the secret in its header", async () => {
  const { receiver, messenger } = await start();
  await setWebhook(messenger, { url: receiver.url, secret_token: 'shh' });
  const delivery = messenger.say({ botToken: token, chatId: 77, text: '/start now' });
  const { update, secret } = await receiver.received.waitFor(() => true);
  expect(secret).toBe('shh');
  expect(update).toMatchObject({
    update_id: delivery.updateId,
    message: {
      from: { id: 77, is_bot: false, first_name: 'Anna' },
      chat: { id: 77, type: 'private' },
      text: '/start now',
      entities: [{ type: 'bot_command', offset: 0, length: 6 }],
    },
  });
  await messenger.deliveries.waitFor((one) => one.state === 'delivered');
  expect(messenger.history(token, 77)).toMatchObject([
    { direction: 'in', delivery: { state: 'delivered', attempts: 1 } },
  ]);
});

test('a failing update is retried with the same id, and delays only its own chat', async () => {
  const failures = { left: 3 };
  const { receiver, messenger } = await start(({ update }) => {
    const isFirstChat = JSON.stringify(update).includes('"text":"one"');
    if (isFirstChat && failures.left > 0) {
      failures.left -= 1;
      return { status: 503 };
    }
    return { status: 200 };
  });
  await setWebhook(messenger, { url: receiver.url });
  const first = messenger.say({ botToken: token, chatId: 1, text: 'one' });
  const second = messenger.say({ botToken: token, chatId: 1, text: 'two' });
  const other = messenger.say({ botToken: token, chatId: 2, text: 'other' });
  await messenger.deliveries.waitFor((one) => one === second && one.state === 'delivered');
  expect(first.attempts.map((one) => one.status)).toEqual([503, 503, 503, 200]);
  expect(other.attempts.map((one) => one.status)).toEqual([200]);
  const ids = receiver.received.all.map((one) => one.update.update_id).filter((id) => id !== other.updateId);
  expect(ids).toEqual([...Array(4).fill(first.updateId), second.updateId]);
  expect(messenger.bot(token).webhook?.lastErrorMessage).toBe(
    'Wrong response from the webhook: 503 Service Unavailable',
  );
});

test('Retry-After of the webhook decides the pause', async () => {
  const { receiver, messenger } = await start(() => ({ status: 429, headers: { 'retry-after': '60' } }), 1);
  await setWebhook(messenger, { url: receiver.url });
  const delivery = messenger.say({ botToken: token, chatId: 1, text: 'one' });
  await messenger.deliveries.waitFor((one) => one.state === 'retrying');
  expect(delivery.retryInMs).toBe(60_000);
});

test('without a webhook updates wait for one, and drop_pending_updates discards them', async () => {
  const { receiver, messenger } = await start();
  const dropped = messenger.say({ botToken: token, chatId: 1, text: 'too early' });
  expect(messenger.pending(messenger.bot(token))).toBe(1);
  await setWebhook(messenger, { url: receiver.url, drop_pending_updates: 'true' });
  expect(dropped.state).toBe('dropped');
  await fetch(`${messenger.url}/bot${token}/deleteWebhook`);
  messenger.say({ botToken: token, chatId: 1, text: 'kept' });
  await setWebhook(messenger, { url: receiver.url });
  await messenger.deliveries.waitFor((one) => one.state === 'delivered');
  expect(receiver.received.count).toBe(1);
});

test('a changed webhook is used immediately, without waiting for the retry', async () => {
  const { receiver, messenger } = await start(undefined, 1000);
  const gone = await startReceiver();
  await gone.close();
  await setWebhook(messenger, { url: gone.url });
  messenger.say({ botToken: token, chatId: 1, text: 'hello' });
  await messenger.deliveries.waitFor((one) => one.attempts.length === 2);
  await setWebhook(messenger, { url: receiver.url });
  const delivered = await messenger.deliveries.waitFor((one) => one.state === 'delivered');
  expect(delivered.attempts[0]?.error).toBe('Connection refused');
});

test('in a group only a mention, a command or a reply reaches the bot', async () => {
  const { receiver, messenger } = await start();
  await setWebhook(messenger, { url: receiver.url });
  expect(messenger.say({ botToken: token, chatId: -100, text: 'just talking' }).state).toBe('withheld');
  expect(messenger.say({ botToken: token, chatId: -100, text: '/help@other_bot' }).state).toBe('withheld');
  messenger.say({ botToken: token, chatId: -100, text: 'hey @ACME_bot' });
  const { update } = await receiver.received.waitFor(() => true);
  expect(update.message).toMatchObject({
    chat: { id: -100, type: 'group' },
    entities: [{ type: 'mention', offset: 4 }],
  });
});

test('kinds outside allowed_updates are withheld; others pass unchanged', async () => {
  const { receiver, messenger } = await start();
  await setWebhook(messenger, { url: receiver.url, allowed_updates: '["message"]' });
  expect(messenger.receive(token, { poll: { id: '1' } }).state).toBe('withheld');
  messenger.receive(token, { update_id: 904120001, message: { message_id: 1, chat: { id: 3 } } });
  expect((await receiver.received.waitFor(() => true)).update.update_id).toBe(904120001);
});

test('post sends one copy outside the queues and returns the answer', async () => {
  const { receiver, messenger } = await start(() => ({ status: 401, body: { error: 'no' } }));
  await setWebhook(messenger, { url: receiver.url });
  const answers = await Promise.all(
    [1, 2, 3].map(() => messenger.post(token, { update_id: 7, message: {} })),
  );
  expect(answers.map((one) => one.status)).toEqual([401, 401, 401]);
  expect(receiver.received.count).toBe(3);
});

test('a reply in the response is carried out as the bot', async () => {
  const reply = { method: 'sendMessage', chat_id: 1, text: 'quick answer' };
  const { receiver, messenger } = await start(() => ({ status: 200, body: reply }));
  await setWebhook(messenger, { url: receiver.url });
  messenger.say({ botToken: token, chatId: 1, text: 'hello' });
  expect((await messenger.sent.waitFor(() => true)).entry.text).toBe('quick answer');
});

test('its state survives as JSON: webhooks, chats, and undelivered updates', async () => {
  const { receiver, messenger } = await start();
  messenger.say({ botToken: token, chatId: 1, text: 'before the restart' });
  const next = new FakeMessenger({ limitsWebhookRate: false });
  closers.push(next.close.bind(next));
  next.importState(JSON.parse(JSON.stringify(messenger.exportState())));
  expect(next.history(token, 1)).toMatchObject([{ text: 'before the restart' }]);
  await next.start();
  await setWebhook(next, { url: receiver.url });
  await receiver.received.waitFor(({ update }) => JSON.stringify(update).includes('before the restart'));
});

test('a state from before the last message does not lead to a number being used twice', async () => {
  const { messenger } = await start();
  const before = JSON.parse(JSON.stringify(messenger.exportState()));
  const { updateId } = messenger.say({ botToken: token, chatId: 1, text: 'lost with the crash' });
  const next = new FakeMessenger({ limitsWebhookRate: false });
  closers.push(next.close.bind(next));
  vi.useFakeTimers({ now: Date.now() + 1000, toFake: ['Date'] });
  next.importState(before);
  vi.useRealTimers();
  expect(next.say({ botToken: token, chatId: 1, text: 'said afterwards' }).updateId).toBeGreaterThan(
    updateId,
  );
});
