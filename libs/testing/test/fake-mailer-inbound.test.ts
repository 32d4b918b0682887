import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, listenOnLoopback, readBody, sendAnswer } from '../src/fake/fake-server.ts';
import { RecordLog } from '../src/fake/record-log.ts';
import { type FakeMailer, startFakeMailer } from '../src/fake-mailer.ts';

const bot = 'support@bots.acme.example';
const anna = { address: 'anna@example.com', name: 'Anna' };
let mailer: FakeMailer;
let hook: Awaited<ReturnType<typeof startHook>>;

beforeEach(async () => {
  mailer = await startFakeMailer({ apiKey: 'key-1', retryScale: 0.00001 });
  hook = await startHook();
  mailer.addRoute({ address: bot, url: hook.url, signingKey: 'signing-key' });
});

afterEach(async () => {
  await mailer.close();
  await hook.close();
});

async function startHook() {
  const received = new RecordLog<{ type: string; form: FormData }>();
  const answers: Answer[] = [];
  const listening = await listenOnLoopback(async (req, res) => {
    const type = req.headers['content-type'] ?? '';
    const body = new Uint8Array(await readBody(req));
    received.add({ type, form: await new Response(body, { headers: { 'content-type': type } }).formData() });
    sendAnswer(res, answers.shift() ?? { status: 200 });
  });
  return { received, answers, url: `${listening.origin}/hook`, close: listening.close };
}

const settled = (state: string) => mailer.deliveries.waitFor((delivery) => delivery.state === state);

function send(fields: Record<string, string>) {
  return fetch(`${mailer.url}/v3/bots.acme.example/messages`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('api:key-1').toString('base64')}` },
    body: new URLSearchParams({ from: bot, to: anna.address, subject: 'Re: Hi', text: 'Hello', ...fields }),
  });
}

test('a mail is posted with the real fields, each header as a field, and a signature made with the key', async () => {
  mailer.write({
    from: anna,
    to: bot,
    subject: 'Hi',
    text: 'Hello\r\n\r\nOn Monday, X wrote:\r\n> old',
    headers: [['X-A', '1']],
  });
  await settled('delivered');
  const { type, form } = hook.received.last!;
  expect(type).toMatch(/^application\/x-www-form-urlencoded/);
  expect(Object.fromEntries(form)).toMatchObject({
    recipient: bot,
    sender: anna.address,
    from: 'Anna <anna@example.com>',
    From: 'Anna <anna@example.com>',
    subject: 'Hi',
    Subject: 'Hi',
    'stripped-text': 'Hello',
    'X-A': '1',
    To: bot,
  });
  const headers = JSON.parse(String(form.get('message-headers'))) as [string, string][];
  for (const [name, value] of headers) expect(form.getAll(name)).toContain(value);
  const signed = `${form.get('timestamp')}${form.get('token')}`;
  expect(form.get('token')).toHaveLength(50);
  expect(form.get('signature')).toBe(createHmac('sha256', 'signing-key').update(signed).digest('hex'));
});

test('a mail with attachments is multipart, and the files keep their names', async () => {
  const files = [{ name: 'Rechnung März.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') }];
  mailer.write({ from: anna, to: bot, subject: 'Hi', files });
  await settled('delivered');
  const { type, form } = hook.received.last!;
  expect(type).toMatch(/^multipart\/form-data/);
  expect(form.get('attachment-count')).toBe('1');
  expect(form.get('attachment-1')).toMatchObject({ name: 'Rechnung März.pdf', size: 4 });
  expect(form.has('body-plain')).toBe(false);
});

test('an answer other than 200 or 406 is retried with a new signature until it is dropped; 406 is final', async () => {
  hook.answers.push({ status: 503 }, { status: 429 });
  const { delivery } = mailer.write({ from: anna, to: bot, subject: 'Hi', text: 'x' });
  await settled('delivered');
  expect(delivery.attempts.map(({ status }) => status)).toEqual([503, 429, 200]);
  const tokens = hook.received.all.map(({ form }) => form.get('token'));
  expect(new Set(tokens).size).toBe(3);
  expect(new Set(hook.received.all.map(({ form }) => form.get('Message-Id'))).size).toBe(1);
  hook.answers.push({ status: 406 });
  expect(mailer.write({ from: anna, to: bot, subject: 'Hi', text: 'x' }).delivery.attempts).toEqual([]);
  await settled('rejected');
  hook.answers.push(...Array.from({ length: 8 }, () => ({ status: 401 })));
  mailer.write({ from: anna, to: bot, subject: 'Hi', text: 'x' });
  expect((await settled('dropped')).attempts).toHaveLength(8);
  expect(mailer.write({ from: anna, to: 'nobody@x.example', subject: 'x' }).delivery.state).toBe('unrouted');
});

test('mail programs keep threads by the headers, and show a mail that was sent twice only once', async () => {
  const { entry } = mailer.write({ from: anna, to: bot.replace('@', '+k7@'), subject: 'Hi', text: 'x' });
  await settled('delivered');
  const answer = { 'h:In-Reply-To': entry.messageId, 'h:Message-Id': '<reply.1@bots.acme.example>' };
  await send(answer);
  await send(answer);
  await send({ subject: 'Other' });
  expect(mailer.threads.all.map(({ threadId, copies }) => [threadId, copies])).toEqual([
    [entry.threadId, 1],
    [entry.threadId, 2],
    ['t3', 1],
  ]);
});

test('mail to an address that does not exist bounces with an empty sender, as a reply to that mail', async () => {
  mailer.bouncing.add(anna.address);
  await send({ 'h:Message-Id': '<reply.1@bots.acme.example>' });
  await settled('delivered');
  const { form } = hook.received.last!;
  expect(Object.fromEntries(form)).toMatchObject({
    sender: '',
    recipient: bot,
    'In-Reply-To': '<reply.1@bots.acme.example>',
    'Auto-Submitted': 'auto-replied',
    'Content-Type': expect.stringMatching(/^multipart\/report; report-type=delivery-status/),
  });
});

test('the sending API refuses a bad address, and more than 16 kB of headers and options', async () => {
  expect((await send({ to: 'nobody' })).status).toBe(400);
  expect((await send({ 'h:References': 'x'.repeat(17_000) })).status).toBe(400);
  expect(mailer.sent.count).toBe(0);
});
