import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../src/eventually.ts';
import { type FakeMessenger, startFakeMessenger } from '../src/fake-messenger.ts';
import type { Update } from '../src/messenger/types.ts';

const token = '4711:secret-of-the-bot';
let messenger: FakeMessenger;

beforeEach(async () => {
  messenger = await startFakeMessenger({ limitsWebhookRate: false });
  messenger.addBot({ token, username: 'acme_bot' });
});
afterEach(() => messenger.close());

async function call(method: string, params: Record<string, unknown> = {}) {
  const response = await fetch(`${messenger.url}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return (await response.json()) as { ok: boolean; description?: string; result: Update[] };
}

const textsOf = (updates: Update[]) => updates.map(({ message }) => (message as { text: string }).text);
const ask = async (params: Record<string, unknown> = {}) =>
  textsOf((await call('getUpdates', params)).result);
const say = (text: string) => messenger.say({ botToken: token, chatId: 5, text });
const isAsked = () => messenger.polls.isAsked(messenger.bot(token));
const waiting = () => eventually('a question waits', isAsked);

test('waiting updates are returned again until a later offset confirms them', async () => {
  const [one, two] = [say('one'), say('two')];
  expect([await ask(), await ask({ offset: one.updateId })]).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ]);
  expect(await ask({ offset: two.updateId })).toEqual(['two']);
  expect(one.state).toBe('delivered');
  expect(await ask({ offset: two.updateId + 1 })).toEqual([]);
  expect(messenger.pending(messenger.bot(token))).toBe(0);
});

test('a negative offset leaves that many of the last updates', async () => {
  for (const text of ['one', 'two', 'three']) say(text);
  expect(await ask({ offset: -2 })).toEqual(['two', 'three']);
  expect(await ask()).toEqual(['two', 'three']);
});

test('at most 100 updates are returned, or the limit', async () => {
  for (let count = 0; count < 101; count += 1) say(String(count));
  expect(await ask({ limit: 1000 })).toHaveLength(100);
  expect(await ask({ limit: 2 })).toEqual(['0', '1']);
});

test('with a timeout the answer waits for an update', async () => {
  const answer = ask({ timeout: 50 });
  await waiting();
  say('hello');
  expect(await answer).toEqual(['hello']);
});

test('answers 409 while a webhook is set, and ends a pending poll when a webhook is set or another poll begins', async () => {
  const first = call('getUpdates', { timeout: 50 });
  await waiting();
  const second = call('getUpdates', { timeout: 50 });
  expect(await first).toMatchObject({ ok: false, description: expect.stringContaining('other getUpdates') });
  await call('setWebhook', { url: 'http://127.0.0.1:1/' });
  expect(await second).toMatchObject({ ok: false, description: expect.stringContaining('by setWebhook') });
  expect(await call('getUpdates')).toMatchObject({
    ok: false,
    description: expect.stringMatching(/^Conflict: can't/),
  });
  await call('deleteWebhook');
  expect(await ask()).toEqual([]);
});

test('the requested kinds of updates are stored', async () => {
  await ask({ allowed_updates: ['message'] });
  expect(messenger.bot(token).allowedUpdates).toEqual(['message']);
});
