import { randomInt } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  callsOfBot,
  closeWebhooksServices,
  newIntegration,
  newToken,
  newUpdate,
  openWebhooksServices,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { announced, arrived, callsOf, polledBot, polling, say } from '../polled-bots.ts';

let services: WebhooksServices;
let first: TestService;

beforeAll(async () => {
  services = await openWebhooksServices();
  first = await startWebhooks(services, polling);
  await startWebhooks(services, polling);
});
beforeEach(() => services.messenger.clearFaults());
afterAll(() => closeWebhooksServices(services));

describe('continues after', () => {
  test.each([
    ['429', { status: 429, retryAfter: 1 }],
    ['500', { status: 500 }],
    ['409, as when another program asks', { status: 409, description: 'Conflict: terminated by other' }],
  ])('%s', async (_what, refusal) => {
    const bot = newIntegration(services);
    services.messenger.failNext('getUpdates', { ...refusal, times: 2, on: callsOfBot(bot) });
    await save(services, bot);
    say(services, bot, 'after all');
    await arrived(services, bot, 'after all');
  });

  test('an answer that is not a list of updates', async () => {
    const bot = newIntegration(services);
    const body = { ok: true, result: [{ message: 'without a number' }] };
    services.messenger.fail('getUpdates', { status: 200, body, on: callsOfBot(bot) });
    await save(services, bot);
    say(services, bot, 'after all');
    await arrived(services, bot, 'after all');
  });

  test('a connection that is cut', async () => {
    const bot = newIntegration(services);
    services.messenger.fail('getUpdates', { cut: 'after', on: callsOfBot(bot) });
    say(services, bot, 'in the answer that was lost');
    await save(services, bot);
    await arrived(services, bot, 'in the answer that was lost');
  });

  test('an answer that never arrives, which is reported', async () => {
    const bot = newIntegration(services);
    services.messenger.fail('getUpdates', { hang: true, on: callsOfBot(bot) });
    await save(services, bot);
    say(services, bot, 'after all');
    await arrived(services, bot, 'after all');
    expect(services.harness.logLines.join('\n')).toContain('the messenger does not answer');
  });

  test("another program's webhook, which is removed again", async () => {
    const bot = await polledBot(services);
    const url = `${services.messenger.url}/bot${bot.botToken}/setWebhook`;
    const body = JSON.stringify({ url: 'https://elsewhere.example.com/' });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await eventually('it is gone', () => services.messenger.bot(bot.botToken).webhook === undefined);
    say(services, bot, 'after all');
    await arrived(services, bot, 'after all');
  });
});

test('an update that can never be stored is dropped after some attempts, and delays nothing', async () => {
  const bot = await polledBot(services);
  const [chatId, updateId] = [randomInt(1, 2 ** 40), randomInt(2 ** 40, 2 ** 41)];
  await services.harness.asOwner(
    `alter table webhooks.deliveries add constraint poisoned check (event_id <> '${updateId}')`,
  );
  try {
    services.messenger.receive(bot.botToken, newUpdate(chatId, 'poison', updateId));
    services.messenger.receive(bot.botToken, newUpdate(chatId, 'behind it', updateId + 1));
    await arrived(services, bot, 'behind it');
    expect(services.harness.logLines.join('\n')).toContain('an update was given up');
  } finally {
    await services.harness.asOwner('alter table webhooks.deliveries drop constraint poisoned');
  }
});

test('an update that waits for a lock in the database is not dropped, however often it is tried', async () => {
  const bot = await polledBot(services);
  const blocker = await services.harness.databaseAs('webhooks').pool.connect();
  try {
    await blocker.query(
      'set idle_in_transaction_session_timeout = 0; begin; lock table webhooks.deliveries in access exclusive mode',
    );
    const before = callsOf(services, bot, 'getUpdates').length;
    say(services, bot, 'patient');
    await eventually('it was tried often', () => callsOf(services, bot, 'getUpdates').length > before + 3);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await arrived(services, bot, 'patient');
});

test('a revoked token shows in the registration, is polled rarely, and a new one is used immediately', async () => {
  const bot = await polledBot(services);
  const revoked = { status: 401, description: 'Unauthorized', times: 1000, on: callsOfBot(bot) };
  for (const operation of ['getUpdates', 'getWebhookInfo']) services.messenger.failNext(operation, revoked);
  expect(await announced(services, bot, 'failed')).toMatchObject({
    lastError: 'Unauthorized',
    mode: 'polling',
  });
  const refused = callsOf(services, bot, 'getUpdates').filter(({ status }) => status === 401);
  expect(refused).toHaveLength(1);
  expect(
    services.harness.logLines.filter((line) => line.includes('Give the integration a valid token')),
  ).toHaveLength(1);
  const renewed = newIntegration(services, { ...bot, botToken: newToken(), revision: 2 });
  await save(services, renewed);
  say(services, renewed, 'heard');
  await arrived(services, bot, 'heard');
});

test('a platform that gives out nothing shows in readiness, with one warning, until it does again', async () => {
  const bot = newIntegration(services);
  services.messenger.failNext('getUpdates', { status: 500, times: 1000, on: callsOfBot(bot) });
  await save(services, bot);
  const warnings = () =>
    services.harness.logLines.filter((line) => line.includes(`stalled: polling for bot ${bot.botId}`));
  const readiness = async () => (await fetch(`${first.url}/readyz`)).status;
  await eventually('the stall is told', () => warnings().some((line) => !line.includes('no longer')));
  expect(warnings().join('\n')).toContain('whether another program polls the updates of the same bot');
  services.messenger.clearFaults();
  say(services, bot, 'after the stall');
  await arrived(services, bot, 'after the stall');
  await eventually('it is ready', async () => (await readiness()) === 200);
  expect(warnings().filter((line) => !line.includes('no longer'))).toHaveLength(1);
  expect(services.harness.logLines.join('\n')).not.toContain(bot.botToken);
});
