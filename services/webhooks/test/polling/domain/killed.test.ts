import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  save,
  startWebhooks,
  type WebhooksServices,
  webhookBaseUrl,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let bot: Integration;

beforeEach(async () => {
  services = await openWebhooksServices();
  const first = await startWebhooks(services, { MESSENGER_UPDATES: 'polling' });
  bot = await save(services, newIntegration(services));
  await eventually('it is asked for', () => questions().length > 0);
  await first.stop();
});
afterEach(() => closeWebhooksServices(services));

const start = (env: Record<string, string> = {}) =>
  services.harness.startProcess('webhooks', {
    NODE_ENV: 'test',
    MESSENGER_UPDATES: 'polling',
    MESSENGER_API_URL: services.messenger.url,
    WEBHOOK_BASE_URL: webhookBaseUrl,
    ...env,
  });
const questions = () => services.messenger.calls.filter(({ operation }) => operation === 'getUpdates');
const waiting = () => services.messenger.pending(services.messenger.bot(bot.botToken));
const say = (text: string) => services.messenger.say({ botToken: bot.botToken, chatId: 77, text });
/** By their places in the conversation: a message that was committed before a kill is published after it. */
const texts = async () =>
  (await eventsOf(services.harness, messageReceived)).sort((a, b) => a.seq - b.seq).map(({ text }) => text);
const arrived = (...said: string[]) =>
  eventually(`${said} arrived`, async () => (await texts()).length >= said.length).then(async () =>
    expect(await texts()).toEqual(said),
  );
/** Starts a process and waits until it has polled, or ended. */
async function startAsking(env: Record<string, string> = {}) {
  const before = questions().length;
  const started = await start(env);
  await eventually('it asks', () => questions().length > before);
  return started;
}

test('W-22: an update whose process is killed between storing and confirming it is stored once, and confirmed by the next process', async () => {
  const killed = await startAsking({ FAILPOINTS: 'webhooks.admission.after-commit:crash' });
  say('one');
  say('two');
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(waiting()).toBe(2);
  const next = await start();
  await arrived('one', 'two');
  await eventually('both are confirmed', () => waiting() === 0);
  await next.stop();
});

test('W-22: a process that is paused for longer than its lease and woken stores nothing twice and stops polling', async () => {
  const paused = await startAsking();
  paused.signal('SIGSTOP');
  // It has this in an answer that it reads when it is resumed.
  say('one');
  const other = await start();
  await arrived('one');
  say('two');
  await arrived('one', 'two');
  paused.signal('SIGCONT');
  await eventually('it is awake', async () => (await fetch(`${paused.url}/readyz`)).ok);
  say('three');
  await arrived('one', 'two', 'three');
  await Promise.all([paused.stop(), other.stop()]);
  expect(questions().filter(({ status }) => status === 409)).toEqual([]);
});

test('W-22: a process that stops does not wait for the platform, and gives its bots to the next one', async () => {
  const first = await startAsking();
  const second = await start();
  const answer = services.messenger.hold('getUpdates');
  const before = questions().length;
  await eventually('a question waits', () => questions().length > before);
  await first.stop();
  answer();
  say('to the second');
  await arrived('to the second');
  await second.stop();
});
