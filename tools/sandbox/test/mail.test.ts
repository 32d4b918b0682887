import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnLoopback, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import type { MailEntry } from '@botyard/testing/mailer/types';
import { afterEach, expect, test } from 'vitest';
import { mailPeople } from '../mail/people.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { readSettings } from '../settings.ts';

const bot = 'demo@bots.sandbox.test';
const [sam, anna] = mailPeople;
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(directory?: string): Promise<Sandbox> {
  const settings = { SANDBOX_PORT: '0', ...(directory ? { SANDBOX_DIR: directory } : {}) };
  const sandbox = await startSandbox(readSettings(settings));
  closers.push(() => sandbox.stop());
  return sandbox;
}

async function post(sandbox: Sandbox, path: string, body: unknown) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${sandbox.url}/api${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { entryId: number; threadId: string } };
}

async function get(sandbox: Sandbox) {
  return (await (await fetch(`${sandbox.url}/api/mail`)).json()) as { bots: string[]; entries: MailEntry[] };
}

/** A bot's webhook that answers every mail with HTML. */
async function connect(sandbox: Sandbox): Promise<void> {
  const hook = await listenOnLoopback(async (req, res) => {
    const form = new URLSearchParams((await readBody(req)).toString('utf8'));
    sendAnswer(res, { status: 200 });
    if (form.has('Auto-Submitted')) return;
    await fetch(`${sandbox.url}/mailer/v3/bots.sandbox.test/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('api:sandbox').toString('base64')}` },
      body: new URLSearchParams({
        from: bot,
        to: String(form.get('sender')),
        subject: `Re: ${form.get('subject')}`,
        text: 'Hello',
        html: '<script>alert(1)</script><p>Hello</p>',
        'h:In-Reply-To': String(form.get('Message-Id')),
        'h:Reply-To': 'demo+k7@bots.sandbox.test',
      }),
    });
  });
  closers.push(hook.close);
  expect(
    (await post(sandbox, '/mail/routes', { address: bot, url: hook.origin, signingKey: 'very-secret' }))
      .status,
  ).toBe(201);
}

const answered = (sandbox: Sandbox, count: number) =>
  sandbox.platforms.mailer!.sent.waitFor(() => sandbox.platforms.mailer!.sent.count >= count);

test('a person writes an email, the webhook receives it, and the answer is in the same thread and can be replied to', async () => {
  const sandbox = await start();
  await connect(sandbox);
  const written = await post(sandbox, '/mail', { personId: sam?.id, to: bot, subject: 'Hi', text: 'hello' });
  expect(written.status).toBe(201);
  await answered(sandbox, 1);
  const { bots, entries } = await get(sandbox);
  expect(bots).toEqual([bot]);
  expect(entries.map(({ direction, threadId }) => [direction, threadId])).toEqual([
    ['in', written.body.threadId],
    ['out', written.body.threadId],
  ]);
  await post(sandbox, '/mail', { personId: sam?.id, answers: entries[1]?.entryId, text: 'thanks' });
  await answered(sandbox, 2);
  const [, , answer] = (await get(sandbox)).entries;
  expect(answer).toMatchObject({
    to: 'demo+k7@bots.sandbox.test',
    subject: 'Re: Hi',
    threadId: written.body.threadId,
  });
  expect(answer?.text).toMatch(/^thanks\r\n\r\nOn .* wrote:\r\n> Hello$/);
});

test('the HTML of an email is served so that nothing in it runs and nothing is fetched', async () => {
  const sandbox = await start();
  await connect(sandbox);
  await post(sandbox, '/mail', { personId: sam?.id, to: bot, subject: 'Hi', text: 'hello' });
  await answered(sandbox, 1);
  const response = await fetch(`${sandbox.url}/api/mail/2/html`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/^sandbox /);
  expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
  expect(await response.text()).toContain('<p>Hello</p>');
});

test("the bot's emails can bounce or get an automatic reply, a person's cannot", async () => {
  const sandbox = await start();
  await connect(sandbox);
  await post(sandbox, '/mail', { personId: anna?.id, to: bot, subject: 'Hi', text: 'hello' });
  await answered(sandbox, 1);
  expect((await post(sandbox, '/mail/1/bounce', {})).status).toBe(409);
  expect((await post(sandbox, '/mail/2/bounce', {})).status).toBe(201);
  expect((await post(sandbox, '/mail/2/auto-reply', {})).status).toBe(201);
  expect((await post(sandbox, '/mail/99/bounce', {})).status).toBe(404);
  const [, , bounce, away] = (await get(sandbox)).entries;
  expect(bounce?.headers).toMatchObject({ 'Auto-Submitted': 'auto-replied' });
  expect(away?.from).toEqual({ name: 'Anna Keller', address: anna?.address });
});

test.each([
  [{ to: bot, subject: 'x', text: 'x' }, 400],
  [{ personId: 700_000_001, to: 'nobody@x.test', subject: 'x', text: 'x' }, 400],
  [{ personId: 700_000_001, to: bot, subject: 'x', text: 7 }, 400],
  [{ personId: 700_000_001, answers: 9, text: 'x' }, 404],
  [{ personId: 700_000_001, to: bot, subject: 'x', text: 'x', piece: 'constructor' }, 400],
  [{ personId: 700_000_001, to: bot, subject: 'x', text: 'x', piece: 'list' }, 201],
])('%j is answered %i', async (body, status) => {
  const sandbox = await start();
  await connect(sandbox);
  expect((await post(sandbox, '/mail', body)).status).toBe(status);
});

test('a restarted sandbox keeps its emails and routes, with the key in a file that only the owner can read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
  closers.push(() => rm(directory, { recursive: true }));
  const first = await start(directory);
  await connect(first);
  await post(first, '/mail', { personId: sam?.id, to: bot, subject: 'before', text: 'x' });
  await answered(first, 1);
  expect(JSON.stringify(await get(first))).not.toContain('very-secret');
  await first.stop();
  const file = join(directory, 'mailer.json');
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect(await readFile(file, 'utf8')).toContain('very-secret');
  const second = await start(directory);
  const { bots, entries } = await get(second);
  expect(bots).toEqual([bot]);
  expect(entries.map(({ subject }) => subject)).toEqual(['before', 'Re: before']);
});
