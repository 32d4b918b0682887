import { randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  callsOfBot,
  closeWebhooksServices,
  eventsOf,
  type Integration,
  neutralHeader,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  platformHeader,
  post,
  registered,
  remove,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  bot = await save(services, newIntegration(services));
});

afterAll(() => closeWebhooksServices(services));

/** Whether the update became an event. */
async function wasAdmitted(update: { update_id: number }): Promise<boolean> {
  const rows = await services.harness.asOwner('select 1 from webhooks.deliveries where event_id = $1', [
    String(update.update_id),
  ]);
  return rows.length > 0;
}

test('an accepted update is 200 with nothing of the delivery in the answer, and becomes one event', async () => {
  const update = newUpdate(5512345678, 'When does my parcel arrive?');
  const answer = await post(webhooks, bot, { ...update, method: 'sendMessage', chat_id: 1, text: 'x' });
  expect(answer).toMatchObject({ status: 200, text: '{}' });
  await services.harness.settled('webhooks', 'tenancy');
  const [event] = (await eventsOf(services.harness, messageReceived)).filter(
    ({ platformMessageId }) => platformMessageId === String(update.update_id),
  );
  expect(event).toMatchObject({
    tenantId: bot.tenantId,
    botId: bot.botId,
    integrationId: bot.integrationId,
    seq: 1,
    platform: 'messenger',
    text: 'When does my parcel arrive?',
    chat: { platformChatId: '5512345678', kind: 'private' },
  });
});

test('the same update again is 200, and no second event', async () => {
  const update = newUpdate(1);
  for (let times = 0; times < 3; times += 1) expect((await post(webhooks, bot, update)).status).toBe(200);
  const rows = await services.harness.asOwner('select 1 from webhooks.outbox where data like $1', [
    `%"platformMessageId":"${update.update_id}"%`,
  ]);
  expect(rows).toHaveLength(1);
});

test('the same update_id of another bot is not a duplicate', async () => {
  const other = await save(services, newIntegration(services));
  const update = newUpdate(2);
  for (const { botId, secret } of [bot, other])
    expect((await post(webhooks, { botId, secret }, update)).status).toBe(200);
  const rows = await services.harness.asOwner('select 1 from webhooks.deliveries where event_id = $1', [
    String(update.update_id),
  ]);
  expect(rows).toHaveLength(2);
});

describe('W-01: secrets', () => {
  test.each([
    ['no header', () => ({}), 401],
    ['an empty header', () => ({ [platformHeader]: '' }), 401],
    ['a wrong secret', () => ({ [platformHeader]: 'wrong' }), 401],
    ['a wrong secret in the neutral header', () => ({ [neutralHeader]: 'wrong' }), 401],
    ["the right secret in the platform's header", () => ({ [platformHeader]: bot.secret }), 200],
    ['the right secret in the neutral header', () => ({ [neutralHeader]: bot.secret }), 200],
    ['both right', () => ({ [neutralHeader]: bot.secret, [platformHeader]: bot.secret }), 200],
    ['the neutral one wrong', () => ({ [neutralHeader]: 'wrong', [platformHeader]: bot.secret }), 401],
    ['the other one wrong', () => ({ [neutralHeader]: bot.secret, [platformHeader]: 'wrong' }), 401],
    ['one of them empty', () => ({ [neutralHeader]: bot.secret, [platformHeader]: '' }), 401],
  ])('%s', async (_what, headers, status) => {
    const update = newUpdate(3);
    const answer = await post(webhooks, bot, update, headers());
    expect(answer.status).toBe(status);
    expect(await wasAdmitted(update)).toBe(status === 200);
    if (status === 401) expect(answer.body).toEqual({ error: expect.any(String) });
  });

  test("another bot's secret is wrong", async () => {
    const other = await save(services, newIntegration(services));
    expect((await post(webhooks, { botId: bot.botId, secret: other.secret }, newUpdate(3))).status).toBe(401);
  });

  test('it is checked before the body is read', async () => {
    const answer = await webhooks.call('POST', `/webhooks/messenger/${bot.botId}`, {
      as: anonymous,
      rawBody: 'x'.repeat(2_000_000),
    });
    expect(answer.status).toBe(401);
  });

  test('the secret before stays valid until the platform has the new one, and not longer', async () => {
    const { messenger } = services;
    const before = await save(services, newIntegration(services));
    await registered(services, before);
    messenger.failNext('setWebhook', {
      on: callsOfBot(before),
      status: 400,
      description: 'Bad Request: not now',
    });
    const after = await save(services, { ...before, secret: `new-${randomUUID()}`, revision: 2 });
    await messenger.calls.waitFor((call) => call.operation === 'setWebhook' && call.status === 400);
    const status = async (secret: string) =>
      (await post(webhooks, { botId: before.botId, secret }, newUpdate(4))).status;
    expect([await status(before.secret), await status(after.secret)]).toEqual([200, 200]);
    await save(services, { ...after, revision: 3 });
    await registered(services, after);
    expect([await status(before.secret), await status(after.secret)]).toEqual([401, 200]);
  });
});

describe('bots', () => {
  test('an unknown bot is 404', async () => {
    const answer = await post(webhooks, { botId: randomUUID(), secret: 'x' }, newUpdate(5));
    expect(answer).toMatchObject({ status: 404, body: { error: 'bot not found' } });
  });

  test.each(['x', '1', "' or 1=1", '..%2f', '00000000-0000-0000-0000-00000000000g'])(
    'a botId that is not an identifier (%s) is 404',
    async (botId) => {
      const answer = await post(webhooks, { botId: encodeURIComponent(botId), secret: 'x' }, newUpdate(5));
      expect(answer.status).toBe(404);
    },
  );

  test('the identifier is the same in capitals', async () => {
    const { secret, botId } = bot;
    expect((await post(webhooks, { secret, botId: botId.toUpperCase() }, newUpdate(5))).status).toBe(200);
  });

  test("a bot whose integration's event has not arrived yet is looked up, once for all deliveries", async () => {
    const early = newIntegration(services);
    services.integrations.set(early.botId, early);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(webhooks, early, newUpdate(6))));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await registered(services, early);
  });

  test('a disabled integration answers 200 and drops; enabled again it takes in', async () => {
    const disabled = await save(services, newIntegration(services, { isEnabled: false }));
    const dropped = newUpdate(7);
    expect((await post(webhooks, disabled, dropped)).status).toBe(200);
    expect(await wasAdmitted(dropped)).toBe(false);
    expect((await post(webhooks, { ...disabled, secret: 'wrong' }, newUpdate(7))).status).toBe(401);
    await save(services, { ...disabled, isEnabled: true, revision: 2 });
    const taken = newUpdate(7);
    expect((await post(webhooks, disabled, taken)).status).toBe(200);
    expect(await wasAdmitted(taken)).toBe(true);
  });

  test('a deleted integration is 404, even if an older announcement arrives late', async () => {
    const deleted = await save(services, newIntegration(services));
    expect((await post(webhooks, deleted, newUpdate(8))).status).toBe(200);
    await remove(services, deleted);
    expect((await post(webhooks, deleted, newUpdate(8))).status).toBe(404);
    await save(services, deleted);
    expect((await post(webhooks, deleted, newUpdate(8))).status).toBe(404);
  });

  test('an older announcement that arrives after a newer one changes nothing', async () => {
    const older = newIntegration(services);
    const newer = await save(services, { ...older, secret: `new-${randomUUID()}`, revision: 2 });
    await save(services, older);
    expect((await post(webhooks, newer, newUpdate(8))).status).toBe(200);
    expect((await post(webhooks, older, newUpdate(8))).status).toBe(401);
  });

  test('a deletion that arrives before the announcement wins', async () => {
    const never = newIntegration(services);
    await remove(services, never);
    await save(services, never);
    expect((await post(webhooks, never, newUpdate(9))).status).toBe(404);
    expect(services.messenger.bot(never.botToken).webhook).toBeUndefined();
  });
});

describe('W-12: bodies', () => {
  const raw = (rawBody: string, headers: Record<string, string> = {}) =>
    webhooks.call('POST', `/webhooks/messenger/${bot.botId}`, {
      as: anonymous,
      rawBody,
      headers: { [platformHeader]: bot.secret, ...headers },
    });

  test.each([
    ['no JSON', '{"update_id":', 400],
    ['nothing', '', 400],
    ['null', 'null', 400],
    ['a list', '[]', 400],
    ['a text', '"update"', 400],
    ['no update_id', '{"message":{}}', 400],
    ['an unknown kind', '{"update_id":1,"hologram_call":{}}', 200],
    ['no kind', '{"update_id":1}', 200],
    ['a message that can not be read', '{"update_id":1,"message":7}', 200],
    ['more than 1 MiB', `{"update_id":1,"x":"${'x'.repeat(1024 * 1024)}"}`, 413],
    ['great depth', `{"update_id":1,"message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400],
  ])('%s', async (_what, body, status) => {
    const answer = await raw(body);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toMatchObject({ error: expect.any(String) });
  });

  test('an encoding that is not known is 415', async () => {
    expect((await raw('{}', { 'content-encoding': 'compress' })).status).toBe(415);
  });

  test('JSON is read as such for any content type', async () => {
    const answer = await raw(JSON.stringify(newUpdate(10)), { 'content-type': 'text/plain' });
    expect(answer.status).toBe(200);
  });

  test('a text with U+0000 and half a surrogate pair is accepted', async () => {
    const update = newUpdate(11, 'a\0b\ud800');
    expect((await post(webhooks, bot, update)).status).toBe(200);
    expect(await wasAdmitted(update)).toBe(true);
  });
});

test("G-04: without the gateway's identity every path is 401, before anything else", async () => {
  for (const path of [`/webhooks/messenger/${bot.botId}`, '/webhooks/messenger/x', '/webhooks/nothing']) {
    const options = { as: null, body: newUpdate(12), headers: { [platformHeader]: bot.secret } };
    expect((await webhooks.call('POST', path, options)).status).toBe(401);
  }
  const forged = { 'x-botyard-identity': 'eyJhbGciOiJub25lIn0.e30.' };
  const answer = await webhooks.call('POST', `/webhooks/messenger/${bot.botId}`, {
    as: null,
    headers: forged,
  });
  expect(answer.status).toBe(401);
});

test('with NODE_ENV=test there is no limiter', async () => {
  const answer = await post(webhooks, bot, newUpdate(13));
  expect([...answer.headers.keys()].filter((name) => /ratelimit/i.test(name))).toEqual([]);
});

test('S-01: no secret and no token is in any log line', () => {
  const lines = services.harness.logLines.join('\n');
  expect(lines).not.toContain(bot.secret);
  expect(lines).not.toContain(bot.botToken);
});
