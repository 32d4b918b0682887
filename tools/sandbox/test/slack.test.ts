import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { type Listening, listenOnLoopback, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import { signed } from '@botyard/testing/slack/delivery';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { readSettings } from '../settings.ts';

let directory: string;
let sandbox: Sandbox;
let bot: Listening;
const presses: string[] = [];
const events: { type?: string; text?: string; channel?: string; reaction?: string }[] = [];

const start = () =>
  startSandbox(readSettings({ SANDBOX_PORT: '0', SANDBOX_PLATFORMS: 'slack', SANDBOX_DIR: directory }));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-slack-'));
  sandbox = await start();
  bot = await listenOnLoopback(async (req, res) => {
    const body = (await readBody(req)).toString();
    const seconds = Number(req.headers['x-slack-request-timestamp']);
    const own = signed('sandbox-signing-secret', body, seconds)['x-slack-signature'];
    if (own !== req.headers['x-slack-signature']) return sendAnswer(res, { status: 401 });
    const { challenge, event } = body.startsWith('{') ? JSON.parse(body) : {};
    if (event) events.push(event);
    const pressed = new URLSearchParams(body).get('payload');
    if (pressed) presses.push(JSON.parse(pressed).actions[0].text.text);
    sendAnswer(res, { status: 200, body: challenge ?? '' });
  });
});
afterAll(async () => {
  await sandbox?.stop();
  await bot?.close();
  await rm(directory, { recursive: true });
});

const post = async (action: string, body: object) => {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox.url}/api/slack/${action}`, init);
  return { status: response.status, body: await response.json() };
};
interface Message {
  ts: string;
  text: string;
  buttons: string[];
  reactions: Record<string, string[]>;
}
interface Workspace {
  app: { botToken: string; requestUrl: string };
  channels: { id: string; messages: Message[] }[];
}

const workspace = async () => (await (await fetch(`${sandbox.url}/api/slack`)).json()) as Workspace;
const messagesIn = ({ channels }: Workspace) => channels.find(({ id }) => id === 'D0ANNA')?.messages ?? [];

test('nobody reaches the bot before its address has answered the challenge', async () => {
  const message = { channelId: 'D0ANNA', personId: 'U0ANNA', text: 'Hello' };
  expect(await post('messages', message)).toMatchObject({ status: 409 });
  expect(await post('address', { url: `${sandbox.url}/nobody` })).toMatchObject({ status: 422 });
  expect(await post('address', { url: bot.origin })).toMatchObject({ status: 201 });
  expect(await post('messages', message)).toMatchObject({ status: 201 });
  const { slack } = sandbox.platforms;
  await slack!.deliveries.waitFor(({ state }) => state === 'delivered');
  expect(events).toMatchObject([{ text: 'Hello', channel: 'D0ANNA' }]);
});

test('the bot answers with the token of the page, and the page shows it', async () => {
  const { app } = await workspace();
  const answered = await fetch(`${sandbox.platforms.slack!.url}/chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${app.botToken}` },
    body: JSON.stringify({ channel: 'D0ANNA', text: 'Hi', blocks: [{ type: 'markdown', text: '**Hi**' }] }),
  });
  expect(await answered.json()).toMatchObject({ ok: true });
  expect(messagesIn(await workspace()).map(({ text }) => text)).toEqual(['Hello', '**Hi**']);
});

test('a restarted sandbox keeps the address and the messages, whose buttons can be pressed', async () => {
  const { app } = await workspace();
  const [yes, no] = ['Yes', 'No'].map((text) => ({
    type: 'button',
    action_id: text,
    value: text,
    text: { type: 'plain_text', text },
  }));
  const blocks = [
    { type: 'markdown', text: 'Tea?' },
    { type: 'actions', elements: [yes, no] },
  ];
  await fetch(`${sandbox.platforms.slack!.url}/chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${app.botToken}` },
    body: JSON.stringify({ channel: 'D0ANNA', text: 'Tea?', blocks }),
  });
  await sandbox.stop();
  sandbox = await start();
  const kept = await workspace();
  expect(kept.app.requestUrl).toBe(bot.origin);
  expect(messagesIn(kept)).toHaveLength(3);
  const { ts, text, buttons } = messagesIn(kept).at(-1)!;
  expect({ text, buttons }).toEqual({ text: 'Tea?', buttons: ['Yes', 'No'] });
  const press = (label: string) => post('presses', { channelId: 'D0ANNA', personId: 'U0ANNA', ts, label });
  expect(await press('Maybe')).toMatchObject({ status: 404 });
  expect(await press('Yes')).toMatchObject({ status: 201 });
  await eventually('the bot has the press', () => presses.includes('Yes'));
});

test('a person adds a thumb to a message and takes it back: the bot hears of both, and the page shows it', async () => {
  const { ts } = messagesIn(await workspace()).at(-1)!;
  const react = (reaction: string, isAdded: boolean) =>
    post('reactions', { channelId: 'D0ANNA', personId: 'U0ANNA', ts, reaction, isAdded });
  const thumbs = async () => messagesIn(await workspace()).at(-1)!.reactions['+1'];
  expect(await react('tada', true)).toMatchObject({ status: 400 });
  expect(await react('+1', true)).toMatchObject({ status: 201 });
  expect(await thumbs()).toEqual(['U0ANNA']);
  expect(await react('+1', false)).toMatchObject({ status: 201 });
  expect(await thumbs()).toEqual([]);
  await eventually('the bot has both', () =>
    ['reaction_added', 'reaction_removed'].every((type) =>
      events.some((event) => event.type === type && event.reaction === '+1'),
    ),
  );
});
