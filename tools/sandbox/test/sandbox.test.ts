import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnLoopback, readBody, sendAnswer } from '@botyard/shared/testing/fake/fake-server';
import { signLogin } from '@botyard/shared/testing/messenger/new-bot';
import { afterEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { readSettings } from '../settings.ts';

const token = '4711:any-secret';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(directory?: string): Promise<Sandbox> {
  const sandbox = await startSandbox(
    readSettings({ SANDBOX_PORT: '0', ...(directory ? { SANDBOX_DIR: directory } : {}) }),
  );
  closers.push(() => sandbox.stop());
  return sandbox;
}

function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** A bot that repeats what it hears, as the page's counterpart. */
async function connectEcho(sandbox: Sandbox): Promise<void> {
  const bot = `${sandbox.url}/messenger/bot${token}`;
  const hook = await listenOnLoopback(async (req, res) => {
    const { message } = JSON.parse((await readBody(req)).toString('utf8'));
    sendAnswer(res, { status: 200 });
    await post(`${bot}/sendMessage`, { chat_id: message.chat.id, text: `echo: ${message.text}` });
  });
  closers.push(hook.close);
  await post(`${bot}/setWebhook`, { url: `${hook.origin}/hook`, secret_token: 's' });
}

test('a person writes through the API, the webhook gets it, the answer stands in the history', async () => {
  const sandbox = await start();
  await connectEcho(sandbox);
  const messages = `${sandbox.url}/api/bots/4711/chats/77/messages`;
  expect((await post(messages, { text: 'hello' })).status).toBe(201);
  await sandbox.platforms.messenger?.sent.waitFor((one) => one.entry.text === 'echo: hello');
  expect(await (await fetch(messages)).json()).toMatchObject({
    messages: [
      { direction: 'in', text: 'hello' },
      { direction: 'out', text: 'echo: hello' },
    ],
  });
});

test('the list of bots tells whether there is a webhook, and never a token', async () => {
  const sandbox = await start();
  expect((await post(`${sandbox.url}/api/bots`, { token, username: 'demo_bot', name: 'Demo' })).status).toBe(
    201,
  );
  await connectEcho(sandbox);
  const text = await (await fetch(`${sandbox.url}/api/bots`)).text();
  expect(JSON.parse(text)).toMatchObject([
    { botId: 4711, username: 'demo_bot', name: 'Demo', hasWebhook: true },
  ]);
  expect(text).not.toContain('any-secret');
});

test('a restarted sandbox knows its webhooks and chats again, from a file that only the owner reads', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
  closers.push(() => rm(directory, { recursive: true }));
  const first = await start(directory);
  await connectEcho(first);
  await post(`${first.url}/api/bots/4711/chats/77/messages`, { text: 'before' });
  await first.platforms.messenger?.sent.waitFor(() => true);
  await first.stop();
  expect((await stat(join(directory, 'messenger.json'))).mode & 0o077).toBe(0);
  expect(await readFile(join(directory, 'messenger.json'), 'utf8')).toContain('before');
  const second = await start(directory);
  const info = await (await fetch(`${second.url}/messenger/bot${token}/getWebhookInfo`)).json();
  expect(info).toMatchObject({ result: { url: expect.stringContaining('/hook') } });
  expect(second.platforms.messenger?.history(4711, 77).length).toBe(2);
});

test('other web sites reach neither the API nor the page', async () => {
  const sandbox = await start();
  const messages = `${sandbox.url}/api/bots/4711/chats/77/messages`;
  expect((await post(messages, { text: 'x' }, { origin: 'http://elsewhere.test' })).status).toBe(403);
  expect((await fetch(messages, { method: 'POST', body: 'text=x' })).status).toBe(415);
});

test('the page is served under a policy without inline script', async () => {
  const sandbox = await start();
  const page = await fetch(sandbox.url);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  const html = await page.text();
  for (const [, path] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    expect((await fetch(sandbox.url + path)).status, path).toBe(200);
  }
  expect((await fetch(`${sandbox.url}/main.ts`)).status).toBe(404);
});

test('everything that the pages ask for is there', async () => {
  const { url } = await start();
  const seen = new Set<string>();
  const follow = async (path: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    const response = await fetch(`${url}${path}`);
    expect(response.status, path).toBe(200);
    const named = (await response.text()).matchAll(/(?:href|src)="(\/[\w./-]+)"|from '(\.?\/[\w./-]+)'/g);
    for (const [, asset, module] of named)
      await follow(asset ?? new URL(String(module), url + path).pathname);
  };
  await follow('/');
  expect(seen).toContain('/mail/mail.js');
  expect(seen.size).toBeGreaterThan(22);
});

test('the sandbox identity provider gives a session of its demo person', async () => {
  const sandbox = await start();
  const body = (await (await post(`${sandbox.url}/api/session-token`, {})).json()) as { token: string };
  expect(body.token.split('.')).toHaveLength(3);
  expect(sandbox.platforms.idp?.jwksUrl).toBe(`${sandbox.url}/idp/.well-known/jwks.json`);
  expect((await fetch(`${sandbox.url}/idp/.well-known/jwks.json`)).status).toBe(200);
});

test('the sandbox messenger signs what its login widget would give for a person', async () => {
  const sandbox = await start();
  const login = (body: object) => post(`${sandbox.url}/api/login`, body);
  const token = `7123456789:${'L'.repeat(35)}`;
  sandbox.platforms.messenger?.addBot({ token, username: 'login_bot' });
  const answer = await login({ bot: 'login_bot', id: 7, name: 'Sam' });
  const { hash, ...fields } = (await answer.json()) as Record<string, string>;
  expect(signLogin(token, fields).hash).toBe(hash);
  expect(fields).toMatchObject({ id: '7', first_name: 'Sam' });
  for (const wrong of [{}, { bot: 'nobody', id: 7, name: 'Sam' }, { bot: 'login_bot', id: -7, name: 'Sam' }])
    expect((await login(wrong)).status).toBe(400);
});

test('only the asked platforms run; a wrong name or port is one clear error', async () => {
  const sandbox = await startSandbox(readSettings({ SANDBOX_PORT: '0', SANDBOX_PLATFORMS: 'model, mailer' }));
  closers.push(() => sandbox.stop());
  expect(Object.keys(sandbox.platforms).sort()).toEqual(['mailer', 'model']);
  expect(await (await fetch(`${sandbox.url}/api/bots`)).json()).toEqual([]);
  expect(() => readSettings({ SANDBOX_PLATFORMS: 'pigeon' })).toThrow(/SANDBOX_PLATFORMS/);
  const taken = startSandbox(readSettings({ SANDBOX_PORT: new URL(sandbox.url).port }));
  await expect(taken).rejects.toThrow(/is taken; set SANDBOX_PORT/);
});
