import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { type Listening, listenOnLoopback, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { readSettings } from '../settings.ts';

const phone = '491701112223';
let directory: string;
let sandbox: Sandbox;
let bot: Listening;
const texts: string[] = [];
const types: string[] = [];
/** How many seconds ago each message was sent, as the platform says it. */
const ages: number[] = [];

const start = () =>
  startSandbox(readSettings({ SANDBOX_PORT: '0', SANDBOX_PLATFORMS: 'whatsapp', SANDBOX_DIR: directory }));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-whatsapp-'));
  sandbox = await start();
  bot = await listenOnLoopback(async (req, res) => {
    if (req.method === 'GET') {
      const { searchParams } = new URL(req.url ?? '', 'http://bot.test');
      return sendAnswer(res, { status: 200, body: searchParams.get('hub.challenge') ?? '' });
    }
    const body = await readBody(req);
    const signature = createHmac('sha256', 'sandbox-app-secret').update(body).digest('hex');
    if (req.headers['x-hub-signature-256'] !== `sha256=${signature}`) return sendAnswer(res, { status: 401 });
    for (const { changes } of JSON.parse(body.toString()).entry)
      for (const { value } of changes)
        for (const { type, text, interactive, button, timestamp } of value.messages ?? []) {
          texts.push(text?.body ?? button?.text ?? interactive.button_reply.title);
          types.push(type);
          ages.push(Date.now() / 1000 - Number(timestamp));
        }
    sendAnswer(res, { status: 200, body: {} });
  });
});
afterAll(async () => {
  await sandbox?.stop();
  await bot?.close();
  await rm(directory, { recursive: true });
});

const post = async (path: string, body: object, headers: object = {}) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(path, { ...init, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};
const act = (action: string, body: object) => post(`${sandbox.url}/api/whatsapp/${action}`, body);
const call = (path: string, body: object) =>
  post(`${sandbox.platforms.whatsapp!.url}${path}`, body, { authorization: 'Bearer sandbox-access-token' });

interface Phones {
  address: string | null;
  credentials: Record<string, string>;
  people: { phone: string; messages: PhoneMessage[] }[];
}
interface PhoneMessage {
  id: string;
  text: string;
  header?: string;
  footer?: string;
  status?: string;
  buttons: { title: string; address?: string }[];
}
const phones = async () => (await (await fetch(`${sandbox.url}/api/whatsapp`)).json()) as Phones;
const messages = async () => (await phones()).people.find((one) => one.phone === phone)!.messages;

test('a person reaches the bot once its address is registered with the credentials of the page', async () => {
  expect(await act('messages', { phone, text: 'Hello' })).toMatchObject({ status: 409 });
  const { businessAccountId } = (await phones()).credentials;
  const callback = { override_callback_uri: bot.origin, verify_token: 'any' };
  expect(await call(`/${businessAccountId}/subscribed_apps`, callback)).toMatchObject({ status: 200 });
  expect((await phones()).address).toBe(bot.origin);
  expect(await act('messages', { phone, text: 'Hello' })).toMatchObject({ status: 201 });
  await eventually('the bot has the message', () => texts.includes('Hello'));
});

test('the page shows the answer, tells that it was read, and presses its button', async () => {
  const { phoneNumberId } = (await phones()).credentials;
  const action = { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] };
  const interactive = { type: 'button', body: { text: 'Tea?' }, action };
  const message = { messaging_product: 'whatsapp', to: phone, type: 'interactive', interactive };
  expect(await call(`/${phoneNumberId}/messages`, message)).toMatchObject({ status: 200 });
  const answer = (await messages()).at(-1)!;
  expect(answer).toMatchObject({ text: 'Tea?', buttons: [{ title: 'Yes' }], status: 'delivered' });
  expect(await act('reads', { phone })).toMatchObject({ status: 201 });
  expect((await messages()).at(-1)).toMatchObject({ status: 'read' });
  expect(await act('presses', { phone, messageId: answer.id, title: 'No' })).toMatchObject({ status: 404 });
  expect(await act('presses', { phone, messageId: answer.id, title: 'Yes' })).toMatchObject({ status: 201 });
  await eventually('the bot has the press', () => texts.includes('Yes'));
});

test('the page shows a template of staff with all its parts, and presses its quick reply', async () => {
  const { phoneNumberId } = (await phones()).credentials;
  const parameters = ['Anna', '4711'].map((text) => ({ type: 'text', text }));
  const components = [{ type: 'body', parameters }];
  const template = { name: 'order_ready', language: { code: 'en' }, components };
  const message = { messaging_product: 'whatsapp', to: phone, type: 'template', template };
  expect(await call(`/${phoneNumberId}/messages`, message)).toMatchObject({ status: 200 });
  const answer = (await messages()).at(-1)!;
  expect(answer).toMatchObject({
    header: 'Your order is ready',
    text: 'Hello Anna, order *4711* waits for you at the harbour shop until 18:00.',
    footer: 'Harbour Books',
    buttons: [
      { title: 'I am on my way' },
      { title: 'Send it to me' },
      { title: 'Opening hours', address: 'https://harbour.example/hours' },
    ],
  });
  const press = (title: string) => act('presses', { phone, messageId: answer.id, title });
  expect(await press('Opening hours')).toMatchObject({ status: 404 });
  expect(await press('Send it to me')).toMatchObject({ status: 201 });
  await eventually('the bot has the press', () => texts.includes('Send it to me'));
  expect(types[texts.indexOf('Send it to me')]).toBe('button');
});

test('a message that was sent yesterday reaches the bot with its time', async () => {
  expect(await act('messages', { phone, text: 'Still there?', isOld: true })).toMatchObject({ status: 201 });
  await eventually('the bot has the message', () => texts.includes('Still there?'));
  expect(ages[texts.indexOf('Still there?')]).toBeGreaterThan(24 * 3600);
});

test('a restarted sandbox keeps the address and the messages, whose buttons can be pressed', async () => {
  await sandbox.stop();
  sandbox = await start();
  expect((await phones()).address).toBe(bot.origin);
  const kept = await messages();
  expect(kept.map(({ text }) => text).slice(0, 3)).toEqual(['Hello', 'Tea?', 'Yes']);
  const template = kept.find(({ header }) => header !== undefined)!;
  expect(template).toMatchObject({ footer: 'Harbour Books' });
  const press = { phone, messageId: template.id, title: 'I am on my way' };
  expect(await act('presses', press)).toMatchObject({ status: 201 });
  await eventually('the bot has the press', () => texts.includes('I am on my way'));
  expect(types.at(-1)).toBe('button');
});
