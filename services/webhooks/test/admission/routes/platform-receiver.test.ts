import { randomInt, randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { webhooksConfig } from '../../../src/config.ts';
import type { ReadDelivery } from '../../../src/platforms/domain/read-delivery.ts';
import type { Inbound } from '../../../src/platforms/platform.ts';
import { createPlatforms } from '../../../src/platforms/registry.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  publishedAll,
  save,
  type WebhooksServices,
  webhookBaseUrl,
} from '../../webhooks-services.ts';

/** A platform whose bodies are lists of deliveries as the host takes them, with an answer of its own. */
const inboundOf = ({ connector }: Inbound): Inbound => ({
  connector,
  maxBytes: 8000,
  verifiedBy: 'body',
  methods: ['GET', 'POST'],
  verify: ({ method, headers }) => {
    if (headers.authorization !== 'proof') return { outcome: 'refused', reason: 'no proof' };
    if (method === 'POST') return { outcome: 'verified' };
    return { outcome: 'answered', status: 202, contentType: 'text/x-challenge', body: 'welcome' };
  },
  read: async (bytes) => {
    const body: unknown = JSON.parse(String(bytes));
    return Array.isArray(body) ? (body as ReadDelivery[]) : null;
  },
  answer: () => ({ contentType: 'text/xml', body: '<thanks/>' }),
});

let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  const withInbound: typeof createApp = (config, runtime) =>
    createApp(config, runtime, (context, settings) => {
      const platforms = createPlatforms(context, settings);
      const { messenger } = platforms;
      return { ...platforms, messenger: { ...messenger, inbound: inboundOf(messenger.inbound!) } };
    });
  const env = { WEBHOOK_BASE_URL: webhookBaseUrl, MESSENGER_API_URL: services.messenger.url };
  webhooks = await services.harness.start({
    service: 'webhooks',
    schema: webhooksConfig,
    createApp: withInbound,
    env,
  });
  bot = await save(services, newIntegration(services));
});
afterAll(() => closeWebhooksServices(services));

const path = () => `/webhooks/messenger/${bot.botId}`;
const headers = { authorization: 'proof' };
const deliver = (body: unknown) =>
  webhooks.call('POST', path(), { as: anonymous, rawBody: JSON.stringify(body), headers });

// A group: supergroups, which it may be renamed to, begin with -100.
const newChatId = () => String(-randomInt(1_000_000_000, 10_000_000_000));

const say = (platformChatId: string, text: string, alsoKnownAs?: string[]): ReadDelivery => ({
  eventId: randomUUID(),
  alsoKnownAs,
  message: {
    chat: { platformChatId, kind: 'private', title: 'Anna' },
    sender: { platformUserId: 'anna', name: 'Anna' },
    platformMessageId: text,
    text,
    content: 'text',
    sentAt: '2026-11-20T18:40:00.000Z',
  },
});

async function admittedIn(...platformChatIds: string[]) {
  await publishedAll(services);
  const admitted = await eventsOf(services.harness, messageReceived);
  return admitted.filter(({ chat }) => platformChatIds.includes(chat.platformChatId));
}

test('a challenge gets the status, the type and the body that the adapter gives, and none without its proof', async () => {
  const challenge = await webhooks.call('GET', path(), { as: anonymous, headers });
  expect([challenge.status, challenge.text]).toEqual([202, 'welcome']);
  expect(challenge.headers.get('content-type')).toContain('text/x-challenge');
  const forged = await webhooks.call('GET', path(), { as: anonymous });
  expect(forged.status).toBe(401);
  expect(forged.text).not.toContain('welcome');
});

test('a delivery gets the answer of its platform, with its type', async () => {
  const { status, headers: answered, text } = await deliver([say(newChatId(), 'Hello')]);
  expect([status, text]).toEqual([200, '<thanks/>']);
  expect(answered.get('content-type')).toContain('text/xml');
});

test('messages beside entries that can not be read are admitted once each, in the order of their body', async () => {
  const chatId = newChatId();
  const lines = Array.from({ length: 9 }, (_, index) => say(chatId, `line ${index}`));
  const body = [...lines.slice(0, 4), { malformed: 'kind' }, ...lines.slice(4)];
  expect([(await deliver(body)).status, (await deliver(lines)).status]).toEqual([200, 200]);
  const admitted = await admittedIn(chatId);
  expect(admitted.map(({ text }) => text)).toEqual(lines.map((_, index) => `line ${index}`));
  expect(admitted.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
});

test('a body that is none of the platform, or has nothing that can be read, is 400', async () => {
  expect((await deliver([{ malformed: 'kind' }, { malformed: 'another' }])).status).toBe(400);
  expect((await deliver({ no: 'list' })).status).toBe(400);
});

test('messages after a rename in one body belong to the conversation of the former name, also when the body comes again', async () => {
  const fromChatId = newChatId();
  const toChatId = fromChatId.replace('-', '-100');
  const body: ReadDelivery[] = [
    say(fromChatId, 'before'),
    { eventId: randomUUID(), migration: { fromChatId, toChatId } },
    say(toChatId, 'after'),
  ];
  expect([(await deliver(body)).status, (await deliver(body)).status]).toEqual([200, 200]);
  const admitted = await admittedIn(fromChatId, toChatId);
  expect(admitted.map(({ text }) => text)).toEqual(['before', 'after']);
  expect(new Set(admitted.map(({ conversationId }) => conversationId)).size).toBe(1);
});

test('a message that comes under several identifiers, at once or in one body, is admitted once', async () => {
  const chatId = newChatId();
  const twice = (text: string) => [1, 2].map(() => say(chatId, text, [`line:${chatId}/${text}`]));
  const answers = await Promise.all(twice('apart').map((delivery) => deliver([delivery])));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await deliver(twice('together'))).status).toBe(200);
  expect((await admittedIn(chatId)).map(({ text }) => text)).toEqual(['apart', 'together']);
});
