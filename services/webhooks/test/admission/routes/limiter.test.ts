import { withPlatform } from '@botyard/shared/db/database';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pruneRows } from '../../../src/housekeeping/store/housekeeping.ts';
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

const limit = 40;
let services: WebhooksServices;
let instances: TestService[];
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  const env = { NODE_ENV: 'development', WEBHOOK_RATE_LIMIT_PER_MINUTE: String(limit) };
  instances = [await startWebhooks(services, env), await startWebhooks(services, env)];
  bot = await save(services, newIntegration(services));
});

afterAll(() => closeWebhooksServices(services));

const from = (address: string, more: Record<string, string> = {}) => ({
  'x-forwarded-for': address,
  [platformHeader]: bot.secret,
  ...more,
});

const send = (index: number, address: string, more?: Record<string, string>) =>
  post(instances[index % 2]!, bot, newUpdate(1), from(address, more));

test('W-08: over two instances exactly the limit is accepted, and the rest is 429 with Retry-After', async () => {
  const answers = await Promise.all(
    Array.from({ length: limit * 2 }, (_, index) => send(index, '192.0.2.1')),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect([accepted.length, refused.length]).toEqual([limit, limit]);
  process.stdout.write(
    `W-08: of ${answers.length} at once ${accepted.length} let through, the limit is ${limit}\n`,
  );
  const remaining = accepted.map(
    ({ headers }) => /remaining=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1],
  );
  expect(remaining.map(Number).sort((a, b) => b - a)).toEqual(
    Array.from({ length: limit }, (_, index) => limit - 1 - index),
  );
  for (const { headers, body } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(headers.get('ratelimit')).toMatch(/^limit=40, remaining=0, reset=\d+$/);
    expect(body).toEqual({ error: expect.any(String) });
  }
});

test('answers have the headers of draft 7, and no X-RateLimit', async () => {
  const { headers } = await send(0, '192.0.2.2');
  expect(headers.get('ratelimit')).toMatch(/^limit=40, remaining=39, reset=\d+$/);
  expect(headers.get('ratelimit-policy')).toBe('40;w=60');
  expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
});

test('W-08: it counts before the secret is checked, on every path of the webhooks', async () => {
  const wrong = { [platformHeader]: 'wrong' };
  for (let index = 0; index < limit; index += 1) {
    const { status } = await send(index, '192.0.2.3', wrong);
    expect(status).toBe(401);
  }
  expect((await send(0, '192.0.2.3')).status).toBe(429);
  expect((await send(0, '192.0.2.4')).status).toBe(200);
});

describe('the end of a minute', () => {
  test('a client whose minute has passed begins a new one', async () => {
    for (let index = 0; index <= limit; index += 1) await send(index, '192.0.2.5');
    expect((await send(0, '192.0.2.5')).status).toBe(429);
    await services.harness.asOwner("update webhooks.rate_windows set ends_at = now() - interval '1 second'");
    const { status, headers } = await send(0, '192.0.2.5');
    expect([status, headers.get('ratelimit')]).toEqual([200, expect.stringContaining('remaining=39')]);
  });

  test('only old minutes are removed', async () => {
    await services.harness.asOwner('delete from webhooks.rate_windows');
    await send(0, '192.0.2.6');
    await send(0, '192.0.2.7');
    await services.harness.asOwner(
      "update webhooks.rate_windows set ends_at = now() - interval '2 minutes' where client = '192.0.2.6'",
    );
    const removed = await withPlatform(
      services.harness.databaseAs('webhooks'),
      'test',
      pruneRows('rate_windows'),
    );
    expect(removed).toBe(1);
    expect(await services.harness.asOwner('select client from webhooks.rate_windows')).toEqual([
      { client: '192.0.2.7' },
    ]);
  });
});

test('W-08: addresses of one IPv6 network of 64 bits are one client', async () => {
  const remaining = async (address: string) => (await send(0, address)).headers.get('ratelimit');
  expect(await remaining('2001:db8:1:2::1')).toContain('remaining=39');
  expect(await remaining('2001:db8:1:2:ffff::2')).toContain('remaining=38');
  expect(await remaining('2001:db8:1:3::1')).toContain('remaining=39');
});
