import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { TcpProxy } from '../../tcp-proxy.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  post,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
let nats: TcpProxy;
let postgres: TcpProxy;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  nats = await TcpProxy.before(inject('natsUrl'));
  postgres = await TcpProxy.before(inject('postgresUrl'));
  webhooks = await startWebhooks(services, {
    NATS_URL: nats.through(inject('natsUrl')),
    DATABASE_URL: postgres.through(services.harness.databaseUrl('webhooks')),
    DATABASE_ACQUIRE_TIMEOUT_MS: '1700',
  });
  bot = await save(services, newIntegration(services));
  await eventually(
    'updates are accepted',
    async () => (await post(webhooks, bot, newUpdate(0))).status === 200,
  );
});

afterEach(async () => {
  await Promise.all([nats.open(), postgres.open()]);
  await eventually('the service is ready again', async () => (await fetch(`${webhooks.url}/readyz`)).ok);
});

afterAll(async () => {
  await closeWebhooksServices(services);
  await Promise.all([nats.cut(), postgres.cut()]);
});

const isReady = async () => (await fetch(`${webhooks.url}/readyz`)).ok;
const takesRequests = async () => (await fetch(`${webhooks.url}/readyz?exclude=bus,messages`)).ok;

/** Which deadline ends first, the wait for a connection or the delivery's own, is left to the machine. */
const databaseGone = /^the (database does not answer|delivery could not be admitted in time)$/;

async function admitted(update: { update_id: number }): Promise<number> {
  const rows = await services.harness.asOwner('select 1 from webhooks.deliveries where event_id = $1', [
    String(update.update_id),
  ]);
  return rows.length;
}

test('F-08: with the bus down an update is still 200, and its event is published when the bus is back', async () => {
  await nats.cut();
  await eventually('the service has noticed', async () => !(await isReady()));
  const updates = Array.from({ length: 20 }, () => newUpdate(1));
  const answers = await Promise.all(updates.map((update) => post(webhooks, bot, update)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await takesRequests()).toBe(true);
  await nats.open();
  await eventually('all events are on the stream', async () => {
    const events = await eventsOf(services.harness, messageReceived);
    return events.filter(({ chat }) => chat.platformChatId === '1').length === 20;
  });
});

test('with the bus down an unknown bot is 503 with Retry-After, and no false 404', async () => {
  await nats.cut();
  await eventually('the service has noticed', async () => !(await isReady()));
  const answer = await post(webhooks, { ...bot, botId: crypto.randomUUID() }, newUpdate(2));
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
});

test.each(['cut', 'freeze'] as const)(
  'F-11: without the database (%s) every update is 503 with Retry-After, and 200 again afterwards',
  async (way) => {
    await postgres[way]();
    const updates = Array.from({ length: 20 }, () => newUpdate(3));
    const begin = performance.now();
    // The database comes back after the answers only.
    const answers = await Promise.all(updates.map((update) => post(webhooks, bot, update)));
    process.stdout.write(`F-11: ${way}, all refused after ${Math.round(performance.now() - begin)} ms\n`);
    for (const { status, headers, body } of answers) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(body.error).toMatch(databaseGone);
    }
    await postgres.cut();
    await eventually('it is taken out of service', async () => !(await takesRequests()));
    for (const update of updates) expect(await admitted(update)).toBe(0);
    await postgres.open();
    await eventually('updates are accepted again', async () => {
      return (await post(webhooks, bot, updates[0])).status === 200;
    });
    expect(await admitted(updates[0]!)).toBe(1);
  },
);

test('F-11: a database that hangs while the bot is looked up costs a 503, while it still hangs', async () => {
  const unknown = await save(services, newIntegration(services));
  await postgres.freeze();
  const answer = await post(webhooks, unknown, newUpdate(5));
  await postgres.cut();
  expect(answer).toMatchObject({ status: 503, body: { error: expect.stringMatching(databaseGone) } });
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
});

test('a conversation that is locked for long costs a 503, and no update', async () => {
  const update = newUpdate(4);
  await post(webhooks, bot, newUpdate(4));
  const client = await services.harness.databaseAs('webhooks').pool.connect();
  await client.query(
    "begin; select set_config('app.platform', 'test', true); select * from webhooks.conversations for update",
  );
  const answer = await post(webhooks, bot, update);
  expect(answer).toMatchObject({ status: 503, body: { error: 'the database is busy' } });
  await client.query('rollback');
  client.release();
  expect(await admitted(update)).toBe(0);
  expect((await post(webhooks, bot, update)).status).toBe(200);
});
