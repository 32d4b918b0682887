import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnLoopback, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import { signLogin } from '@botyard/testing/messenger/new-bot';
import { decodeJwt } from 'jose';
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

/** A bot that repeats every message, as the page's counterpart. */
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

test('the list of bots shows which are connected, and never a token', async () => {
  const sandbox = await start();
  expect((await post(`${sandbox.url}/api/bots`, { token, username: 'demo_bot', name: 'Demo' })).status).toBe(
    201,
  );
  await connectEcho(sandbox);
  const text = await (await fetch(`${sandbox.url}/api/bots`)).text();
  expect(JSON.parse(text)).toMatchObject([
    { botId: 4711, username: 'demo_bot', name: 'Demo', isConnected: true },
  ]);
  expect(text).not.toContain('any-secret');
});

test('a bot that polls for updates is connected without a webhook', async () => {
  const sandbox = await start();
  const isConnected = async () => {
    const bots = await (await fetch(`${sandbox.url}/api/bots`)).json();
    return (bots as { isConnected: boolean }[]).map((bot) => bot.isConnected);
  };
  await post(`${sandbox.url}/api/bots`, { token, username: 'demo_bot', name: 'Demo' });
  expect(await isConnected()).toEqual([false]);
  await post(`${sandbox.url}/messenger/bot${token}/getUpdates`, {});
  expect(await isConnected()).toEqual([true]);
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

/** Sends exactly these headers, which no client library would. */
function statusOf(
  sandbox: Sandbox,
  path: string,
  headers: readonly string[],
  method = 'GET',
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', 'Content-Length: 0', ...headers];
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1', () =>
    socket.write(`${lines.join('\r\n')}\r\n\r\n`),
  );
  socket.once('error', reject);
  socket.once('data', (data: Buffer) => {
    resolve(Number(data.toString('latin1').split(' ')[1]));
    socket.destroy();
  });
  return promise;
}

const places = ['/', '/api/bots', '/api/session-token', '/idp/.well-known/jwks.json', '/idp/v1/users'].concat(
  ['/model/v1/models', '/messenger/bot1:x/getMe', '/mailer/v3/x/messages', '/tools/api/v3/toolkits'],
);

test.each(places)('G-13: web sites elsewhere and tunnels do not reach %s', async (path) => {
  const sandbox = await start();
  const { host } = new URL(sandbox.url);
  const strangers = [
    ['Host: evil.test'],
    [`Host: evil.test:${host.split(':')[1]}`, `Origin: http://evil.test:${host.split(':')[1]}`],
    [`Host: ${host}`, 'Origin: http://evil.test'],
    [`Host: ${host}`, 'Origin: null'],
    [`Host: ${host}`, 'Sec-Fetch-Site: cross-site'],
    [`Host: ${host}`, 'X-Forwarded-For: 127.0.0.1'],
    [`Host: ${host}`, 'Via: 1.1 tunnel'],
    [`Host: ${host}`, 'Host: evil.test'],
  ];
  for (const headers of strangers)
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect(await statusOf(sandbox, path, headers, method), headers.join()).toBe(403);
  expect(await statusOf(sandbox, path, [`Host: ${host}`])).not.toBe(403);
});

test("a link of another site, such as the console's, opens the first page in a tab, and nothing else", async () => {
  const sandbox = await start();
  const { host } = new URL(sandbox.url);
  const statusFor = (path: string, destination: string, method = 'GET') => {
    const site = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', `Sec-Fetch-Dest: ${destination}`];
    return statusOf(sandbox, path, [`Host: ${host}`, ...site], method);
  };
  expect(await statusFor('/', 'document')).toBe(200);
  expect(await statusFor('/', 'iframe')).toBe(403);
  expect(await statusFor('/', 'document', 'POST')).toBe(403);
  expect(await statusFor('/?', 'document')).toBe(403);
  for (const path of places.slice(1)) expect(await statusFor(path, 'document'), path).toBe(403);
  expect(
    await statusOf(sandbox, '/', [`Host: ${host}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors']),
  ).toBe(403);
});

test('in a container it is reached by its own name and by that of this machine, and by no other', async () => {
  const sandbox = await startSandbox(
    readSettings({ SANDBOX_PORT: '0', SANDBOX_HOST: '0.0.0.0', SANDBOX_URL: 'http://sandbox:3002' }),
  );
  closers.push(() => sandbox.stop());
  for (const host of ['sandbox:3002', 'localhost:3002', '127.0.0.1'])
    expect(await statusOf(sandbox, '/api/bots', [`Host: ${host}`]), host).toBe(200);
  for (const host of ['sandbox', 'evil.test:3002', '172.18.0.5:3002'])
    expect(await statusOf(sandbox, '/api/bots', [`Host: ${host}`]), host).toBe(403);
});

test('a form of another site can not write: the API takes JSON alone', async () => {
  const sandbox = await start();
  const messages = `${sandbox.url}/api/bots/4711/chats/77/messages`;
  const refused = await post(messages, { text: 'x' }, { origin: 'http://elsewhere.test' });
  expect([refused.status, await refused.json()]).toEqual([403, { error: expect.any(String) }]);
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

test('all files that the pages request exist', async () => {
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
  expect(seen).toContain('/people/people.js');
  expect(seen.size).toBeGreaterThan(22);
});

test('the sandbox identity provider lists a person for each role, and gives each a session', async () => {
  const sandbox = await start();
  const people = (await (await fetch(`${sandbox.url}/api/people`)).json()) as {
    userId: string;
    role: string;
  }[];
  expect(people.map(({ role }) => role)).toEqual(['admin', 'member', 'neighbour', 'stranger']);
  const tokenOf = (body: unknown) => post(`${sandbox.url}/api/session-token`, body);
  for (const userId of [undefined, 'user_2anybody', ...people.map((person) => person.userId)]) {
    const { token } = (await (await tokenOf({ userId })).json()) as { token: string };
    expect(decodeJwt(token).sub).toBe(userId ?? 'user_sandbox');
  }
  for (const userId of [7, '', 'a b', 'x'.repeat(101), { $ne: 1 }])
    expect((await tokenOf({ userId })).status).toBe(400);
  expect(sandbox.platforms.idp?.jwksUrl).toBe(`${sandbox.url}/idp/.well-known/jwks.json`);
  expect((await fetch(`${sandbox.url}/idp/.well-known/jwks.json`)).status).toBe(200);
  const metadata = await fetch(`${sandbox.url}/.well-known/oauth-authorization-server/idp`);
  expect(await metadata.json()).toMatchObject({ issuer: sandbox.platforms.idp?.issuer });
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

test('only the requested platforms run, and a wrong name or port is one clear error', async () => {
  const sandbox = await startSandbox(readSettings({ SANDBOX_PORT: '0', SANDBOX_PLATFORMS: 'model, mailer' }));
  closers.push(() => sandbox.stop());
  expect(Object.keys(sandbox.platforms).sort()).toEqual(['mailer', 'model']);
  expect(await (await fetch(`${sandbox.url}/api/bots`)).json()).toEqual([]);
  expect(await (await fetch(`${sandbox.url}/api/people`)).json()).toEqual([]);
  expect(() => readSettings({ SANDBOX_PLATFORMS: 'pigeon' })).toThrow(/SANDBOX_PLATFORMS/);
  const taken = startSandbox(readSettings({ SANDBOX_PORT: new URL(sandbox.url).port }));
  await expect(taken).rejects.toThrow(/is taken: set SANDBOX_PORT/);
});
