import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { TcpProxy } from '../../tcp-proxy.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  platformHeader,
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
});

afterEach(async () => {
  await Promise.all([nats.open(), postgres.open()]);
  await eventually('the service is ready again', async () => (await fetch(`${webhooks.url}/readyz`)).ok);
});

afterAll(async () => {
  await closeWebhooksServices(services);
  await Promise.all([nats.cut(), postgres.cut()]);
});

const health = (service = webhooks) => service.call('GET', '/webhooks/health', { as: anonymous });
const healthWhich = (what: string, isIt: (body: Record<string, unknown>) => boolean) =>
  eventually(what, async () => {
    const answer = await health();
    return isIt(answer.body) && answer;
  });

test('shows the outcome of the last deliveries, and nothing about their tenants', async () => {
  const update = newUpdate(1);
  await post(webhooks, bot, update);
  await post(webhooks, bot, update);
  await post(webhooks, bot, newUpdate(1), { [platformHeader]: 'wrong' });
  await post(webhooks, bot, { nothing: true });
  const counted = { accepted: 1, duplicate: 1, ignored: 0, malformed: 1, refused: 1 };
  const answer = await healthWhich('all are counted', ({ deliveries }) =>
    Object.entries(counted).every(
      ([verdict, count]) => (deliveries as Record<string, number>)[verdict] === count,
    ),
  );
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    status: 'ok',
    database: 'ok',
    bus: 'ok',
    deliveries: counted,
    oldestUnsentMs: expect.any(Number),
    oldestUnpublishedMs: expect.any(Number),
  });
  for (const secret of [bot.botId, bot.tenantId, bot.integrationId])
    expect(answer.text).not.toContain(secret);
});

test('only the gateway may ask, as everything under /webhooks', async () => {
  expect((await webhooks.call('GET', '/webhooks/health', { as: null })).status).toBe(401);
});

test('with the bus down it is degraded, and shows how long events have waited', async () => {
  await nats.cut();
  await post(webhooks, bot, newUpdate(2));
  const answer = await healthWhich('it has noticed', ({ status }) => status === 'degraded');
  expect([answer.status, answer.body.bus, answer.body.database]).toEqual([200, 'unavailable', 'ok']);
  await healthWhich('an event waits', ({ oldestUnpublishedMs }) => Number(oldestUnpublishedMs) > 0);
});

test('without the database it is 503 with Retry-After, for any number of requests', async () => {
  await postgres.freeze();
  const answer = await healthWhich('it has noticed', ({ status }) => status === 'down');
  expect([answer.status, answer.body.database]).toEqual([503, 'unavailable']);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  // The database stays frozen: they are answered without it.
  const answers = await Promise.all(Array.from({ length: 100 }, () => health()));
  expect(answers.every(({ status }) => status === 503)).toBe(true);
});

test('it counts for the limit of deliveries, and is refused above it', async () => {
  const env = { NODE_ENV: 'development', WEBHOOK_RATE_LIMIT_PER_MINUTE: '3' };
  const limited = await startWebhooks(services, env);
  const statuses = [];
  for (let times = 0; times < 4; times += 1) statuses.push((await health(limited)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});
