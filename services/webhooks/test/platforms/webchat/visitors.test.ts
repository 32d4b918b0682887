import { createHash, createHmac, randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { TestService } from '@botyard/testing/service-harness';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { zeroBitsOf } from '../../../src/platforms/webchat/domain/proof-of-work.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { hmacOf, identitySecret, openStream, saveChat, say, site } from './site.ts';

let services: WebhooksServices;
let webhooks: TestService;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
});
afterAll(() => closeWebhooksServices(services));

const key = new TextEncoder().encode(identitySecret);
const jwtOf = (seconds: number, { sub = 'anna', alg = 'HS256', secret = key } = {}) =>
  new SignJWT({})
    .setProtectedHeader({ alg })
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
    .sign(secret);

test('a verified visitor has one history on all devices, which nobody without proof sees', async () => {
  const bot = await saveChat(services);
  const identity = { userId: 'anna', hmac: hmacOf('anna') };
  const anonymous = await say(webhooks, bot, { text: 'As nobody' });
  await say(webhooks, bot, { identity, text: 'On the phone' });
  await say(webhooks, bot, { identity: { jwt: await jwtOf(3600) }, text: 'On the laptop' });
  const device = await openStream(webhooks, bot, { identity });
  await device.has(({ data }) => data.text === 'On the laptop');
  expect(device.texts()).toEqual(['On the phone', 'On the laptop']);
  const browser = await openStream(webhooks, bot, { token: anonymous.body.token });
  await browser.has(({ data }) => data.text === 'As nobody');
  expect(browser.texts()).toEqual(['As nobody']);
  await publishedAll(services);
  const admitted = (await eventsOf(services.harness, messageReceived)).filter(
    ({ botId }) => botId === bot.botId,
  );
  expect(admitted.map(({ sender }) => sender.isProven)).toEqual([false, true, true]);
  expect(new Set(admitted.map(({ conversationId }) => conversationId)).size).toBe(2);
  await Promise.all([device.close(), browser.close()]);
});

test('a session of one bot opens no chat of another one', async () => {
  const [one, other] = [await saveChat(services), await saveChat(services)];
  const { body } = await say(webhooks, one);
  expect((await say(webhooks, other, { token: body.token })).status).toBe(401);
});

test('false identities are 401: another hmac, another secret, another algorithm, and a JWT of more than a day', async () => {
  const bot = await saveChat(services);
  const identities = [
    { userId: 'ben', hmac: hmacOf('anna') },
    { userId: 'anna', hmac: createHmac('sha256', 'another').update('anna').digest('hex') },
    {
      jwt: await jwtOf(3600, { secret: new TextEncoder().encode('another secret of thirty-two characters') }),
    },
    { jwt: await jwtOf(3600, { alg: 'HS512' }) },
    { jwt: await jwtOf(90_000) },
    { jwt: await jwtOf(-60) },
  ];
  const answers = await Promise.all(identities.map((identity) => say(webhooks, bot, { identity })));
  expect(answers.map(({ status }) => status)).toEqual(identities.map(() => 401));
  const without = await saveChat(services, { identitySecret: undefined });
  expect((await say(webhooks, without, { identity: identities[0] })).status).toBe(401);
});

test('only pages of allowed origins are let in, and the answer names that origin and no other', async () => {
  const bot = await saveChat(services);
  const allowed = await say(webhooks, bot);
  expect(allowed.headers.get('access-control-allow-origin')).toBe(site);
  expect(allowed.headers.get('vary')).toContain('Origin');
  for (const origin of ['https://evil.example', `${site}.evil.example`, 'http://shop.example', 'null', '']) {
    const { status, headers } = await say(webhooks, bot, {}, { origin });
    expect([origin, status, headers.get('access-control-allow-origin')]).toEqual([origin, 403, null]);
  }
});

test('an address beyond its share has to work for each new visitor, once for each proof, and nobody else does', async () => {
  const bot = await saveChat(services);
  const address = '198.51.100.7';
  let answer = await say(webhooks, bot, {}, { address });
  for (let count = 0; count < 30 && answer.body.outcome === 'sent'; count += 1)
    answer = await say(webhooks, bot, {}, { address });
  const startId = randomUUID();
  answer = await say(webhooks, bot, { startId }, { address });
  const { outcome, challenge, bits } = answer.body;
  expect(outcome).toBe('work');
  expect((await say(webhooks, bot, {}, { address: '203.0.113.9' })).body.outcome).toBe('sent');
  let nonce = 0;
  const hash = () => createHash('sha256').update(`${challenge}.${nonce}`).digest();
  while (zeroBitsOf(hash()) < bits) nonce += 1;
  const proof = { challenge, nonce: String(nonce) };
  expect((await say(webhooks, bot, { startId, proof }, { address })).body.outcome).toBe('sent');
  expect((await say(webhooks, bot, { proof }, { address })).status).toBe(403);
  const other = await saveChat(services);
  expect((await say(webhooks, other, { startId, proof }, { address })).status).toBe(403);
  // The work is done once, also if the answer was lost.
  expect((await say(webhooks, bot, { startId }, { address })).body.outcome).toBe('sent');
});

test('while a chat is flooded from everywhere each new visitor has to work, and no other one, there or elsewhere', async () => {
  const [flooded, other] = [await saveChat(services), await saveChat(services)];
  const { body } = await say(webhooks, flooded, {}, { address: '203.0.113.20' });
  const flood = (count: number) =>
    services.harness.asOwner(
      `insert into webhooks.webchat_visitors (tenant_id, visitor_id, bot_id, integration_id, conversation_id, name)
       select $1, gen_random_uuid(), $2, $3, gen_random_uuid(), 'Visitor' from generate_series(1, $4)`,
      [flooded.tenantId, flooded.botId, flooded.integrationId, count],
    );
  await flood(58);
  expect((await say(webhooks, flooded, {}, { address: '203.0.113.21' })).body.outcome).toBe('sent');
  await flood(1);
  const { outcome, bits } = (await say(webhooks, flooded, {}, { address: '203.0.113.22' })).body;
  expect([outcome, bits]).toEqual(['work', 14]);
  await flood(200);
  expect((await say(webhooks, flooded, {}, { address: '203.0.113.23' })).body.bits).toBeGreaterThan(14);
  const spared = [
    await say(webhooks, flooded, { token: body.token }, { address: '203.0.113.20' }),
    await say(webhooks, flooded, { identity: { userId: 'anna', hmac: hmacOf('anna') } }),
    await say(webhooks, other, {}, { address: '203.0.113.24' }),
  ];
  expect(spared.map((answer) => answer.body.outcome)).toEqual(['sent', 'sent', 'sent']);
});

test('a visitor who writes faster than a person gets 503 with the time to wait, alone', async () => {
  const bot = await saveChat(services);
  const { body } = await say(webhooks, bot);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => say(webhooks, bot, { token: body.token })),
  );
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await say(webhooks, bot, {}, { address: '203.0.113.10' })).status).toBe(200);
});

test('a visitor has at most 6 open streams, and others are not affected', async () => {
  const bot = await saveChat(services);
  const [one, other] = [await say(webhooks, bot), await say(webhooks, bot, {}, { address: '203.0.113.11' })];
  const streams = [];
  for (let count = 0; count < 7; count += 1)
    streams.push(await openStream(webhooks, bot, { token: one.body.token }));
  expect(streams.map(({ status }) => status)).toEqual([...Array(6).fill(200), 503]);
  const theirs = await openStream(webhooks, bot, { token: other.body.token });
  expect(theirs.status).toBe(200);
  await Promise.all([...streams, theirs].map(({ close }) => close()));
});
