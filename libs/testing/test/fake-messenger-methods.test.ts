import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeMessenger, startFakeMessenger } from '../src/fake-messenger.ts';

type PlatformAnswer = {
  ok: boolean;
  error_code?: number;
  description?: string;
  result: Record<string, unknown>;
  parameters?: unknown;
};

const token = '4711:secret-of-the-bot';
let messenger: FakeMessenger;

beforeEach(async () => {
  messenger = await startFakeMessenger({ limitsWebhookRate: false });
  messenger.addBot({ token, username: 'acme_bot' });
});

afterEach(() => messenger.close());

async function call(method: string, params: Record<string, unknown> = {}, withToken = token) {
  const response = await fetch(`${messenger.url}/bot${withToken}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as PlatformAnswer,
  };
}

test('getMe derives the id from the token and the username, in any case and by GET', async () => {
  const response = await fetch(`${messenger.url}/bot${token}/getme`);
  expect(await response.json()).toMatchObject({
    ok: true,
    result: { id: 4711, is_bot: true, username: 'acme_bot' },
  });
  expect(messenger.calls.last?.operation).toBe('getMe');
});

test("an unknown token is 401 in the platform's shape; a malformed one is reported as such", async () => {
  expect((await call('getMe', {}, '1:other')).body).toEqual({
    ok: false,
    error_code: 401,
    description: 'Unauthorized',
  });
  expect(await call('getMe', {}, 'nonsense')).toMatchObject({
    status: 401,
    body: { description: 'Unauthorized: invalid token specified' },
  });
});

test('with acceptAnyToken a well-formed token creates its bot', async () => {
  const open = await startFakeMessenger({ acceptAnyToken: true });
  const body = await (await fetch(`${open.url}/bot99:abc/getMe`)).json();
  expect(body).toMatchObject({ ok: true, result: { id: 99, username: 'bot99' } });
  await open.close();
});

test('an unknown method is 404', async () => {
  expect((await call('sendPigeon')).body.description).toBe('Not Found: method not found');
});

test('setWebhook distinguishes a change from a repetition, and a missing secret clears the old one', async () => {
  const url = 'http://127.0.0.1:1/hook';
  expect((await call('setWebhook', { url, secret_token: 's1' })).body.description).toBe('Webhook was set');
  expect((await call('setWebhook', { url, secret_token: 's1' })).body.description).toBe(
    'Webhook is already set',
  );
  expect((await call('setWebhook', { url })).body.description).toBe('Webhook was set');
  expect(messenger.bot(token).webhook?.secretToken).toBeUndefined();
  expect((await call('getWebhookInfo')).body.result).toMatchObject({
    url,
    pending_update_count: 0,
    max_connections: 40,
  });
  expect((await call('deleteWebhook')).body.description).toBe('Webhook was deleted');
  expect((await call('deleteWebhook')).body.description).toBe('Webhook is already deleted');
  expect((await call('getWebhookInfo')).body.result.url).toBe('');
});

test("setWebhook refuses bad secrets and bad addresses in the platform's words", async () => {
  const url = 'http://127.0.0.1:1/hook';
  const long = await call('setWebhook', { url, secret_token: 'x'.repeat(257) });
  expect(long.body.description).toBe('Bad Request: secret token is too long');
  const odd = await call('setWebhook', { url, secret_token: 'a b' });
  expect(odd.body.description).toBe('Bad Request: secret token contains unallowed characters');
  expect((await call('setWebhook', { url: 'nonsense' })).body.description).toBe(
    'Bad Request: invalid webhook URL specified',
  );
});

test('with public rules, plain http, odd ports and reserved addresses are refused', async () => {
  const strict = await startFakeMessenger({
    webhookUrls: 'public',
    acceptAnyToken: true,
    limitsWebhookRate: false,
  });
  const refusal = async (url: string) => {
    const response = await fetch(`${strict.url}/bot1:a/setWebhook?url=${encodeURIComponent(url)}`);
    return ((await response.json()) as PlatformAnswer).description;
  };
  expect(await refusal('http://example.com/')).toBe(
    'Bad Request: bad webhook: An HTTPS URL must be provided for webhook',
  );
  expect(await refusal('https://example.com:3001/')).toContain('only on ports 80, 88, 443 or 8443');
  expect(await refusal('https://10.0.0.1/')).toBe(
    'Bad Request: bad webhook: IP address 10.0.0.1 is reserved',
  );
  expect(await refusal('https://example.com/hook')).toBe('Webhook was set');
  await strict.close();
});

test('two webhook changes within a second are 429 with retry_after 1, unless that is switched off', async () => {
  const limited = await startFakeMessenger({ acceptAnyToken: true });
  const set = (name: string) => fetch(`${limited.url}/bot1:a/setWebhook?url=http://127.0.0.1:1/${name}`);
  await set('one');
  const second = await set('two');
  expect(second.status).toBe(429);
  expect(second.headers.get('retry-after')).toBe('1');
  expect(((await second.json()) as PlatformAnswer).parameters).toEqual({ retry_after: 1 });
  await limited.close();
});

test('sendMessage stores text, HTML and history, and answers with a Message', async () => {
  const answer = await call('sendMessage', { chat_id: 5, text: 'a <b>bold</b> &amp; b', parse_mode: 'HTML' });
  expect(answer.body.result).toMatchObject({
    chat: { id: 5, type: 'private' },
    from: { id: 4711, is_bot: true },
    text: 'a bold & b',
    entities: [{ type: 'bold', offset: 2, length: 4 }],
  });
  expect(messenger.sent.last).toMatchObject({ chatId: '5', entry: { html: 'a <b>bold</b> &amp; b' } });
  expect(messenger.history(token, 5)).toMatchObject([{ direction: 'out', text: 'a bold & b' }]);
});

test('a block of code with a language is one entity', async () => {
  const text = '<pre><code class="language-ts">a</code></pre> <code>b</code>';
  const { body } = await call('sendMessage', { chat_id: 5, text, parse_mode: 'HTML' });
  expect(body.result.entities).toEqual([
    { type: 'pre', offset: 0, length: 1, language: 'ts' },
    { type: 'code', offset: 2, length: 1 },
  ]);
});

test.each([
  ['<b>open', 'Can\'t find end tag corresponding to start tag "b"'],
  ['é <table>', 'Unsupported start tag "table" at byte offset 3'],
  ['a < b', 'Unclosed start tag at byte offset 2'],
  ['<b>x</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
  ['x</b>', 'Unexpected end tag at byte offset 1'],
])('HTML that the platform cannot parse is 400: %s', async (text, reason) => {
  const { status, body } = await call('sendMessage', { chat_id: 5, text, parse_mode: 'HTML' });
  expect(status).toBe(400);
  expect(body.description).toBe(`Bad Request: can't parse entities: ${reason}`);
});

test('the length of a text is counted after parsing, in UTF-16 units', async () => {
  const full = await call('sendMessage', {
    chat_id: 5,
    text: `<b>${'&lt;'.repeat(4096)}</b>`,
    parse_mode: 'HTML',
  });
  expect(full.status).toBe(200);
  expect((await call('sendMessage', { chat_id: 5, text: '😀'.repeat(2049) })).body.description).toBe(
    'Bad Request: message is too long',
  );
  expect((await call('sendMessage', { chat_id: 5, text: ' ' })).body.description).toBe(
    'Bad Request: message text is empty',
  );
});

test('topic 1 is refused, as on the platform', async () => {
  const { body } = await call('sendMessage', { chat_id: -5, text: 'hi', message_thread_id: 1 });
  expect(body.description).toBe('Bad Request: message thread not found');
});

test('a blocked chat is 403 until it is unblocked', async () => {
  messenger.blockChat(5);
  expect(await call('sendMessage', { chat_id: 5, text: 'hi' })).toMatchObject({
    status: 403,
    body: { description: 'Forbidden: bot was blocked by the user' },
  });
  messenger.unblockChat(5);
  expect((await call('sendMessage', { chat_id: 5, text: 'hi' })).status).toBe(200);
});

test('scripted faults: as many refusals as scripted, with Retry-After, then normal answers', async () => {
  messenger.failNext('sendMessage', { status: 429, retryAfter: 3, times: 2 });
  for (let time = 0; time < 2; time += 1) {
    const refused = await call('sendMessage', { chat_id: 5, text: 'hi' });
    expect(refused.body).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 3',
      parameters: { retry_after: 3 },
    });
    expect(refused.headers.get('retry-after')).toBe('3');
  }
  expect((await call('sendMessage', { chat_id: 5, text: 'hi' })).status).toBe(200);
});

test('a lost answer has had its effect; a call cut before has not', async () => {
  messenger.fail('sendMessage', { cut: 'before' });
  messenger.fail('sendMessage', { cut: 'after' });
  await expect(call('sendMessage', { chat_id: 5, text: 'first' })).rejects.toThrow();
  await expect(call('sendMessage', { chat_id: 5, text: 'second' })).rejects.toThrow();
  expect(messenger.sent.all.map((one) => one.entry.text)).toEqual(['second']);
});

test('commands are validated and stored; typing is recorded', async () => {
  const commands = [{ command: 'start', description: 'Begin' }];
  expect((await call('setMyCommands', { commands: JSON.stringify(commands) })).body.ok).toBe(true);
  expect(messenger.bot(token).commands).toEqual(commands);
  expect(
    (await call('setMyCommands', { commands: [{ command: 'No!', description: 'x' }] })).body.description,
  ).toBe('Bad Request: BOT_COMMAND_INVALID');
  const seen: string[] = [];
  const end = messenger.subscribe((event) => seen.push(event.type));
  expect((await call('sendChatAction', { chat_id: 5, action: 'typing' })).body).toEqual({
    ok: true,
    result: true,
  });
  end();
  expect(seen).toEqual(['typing']);
});
