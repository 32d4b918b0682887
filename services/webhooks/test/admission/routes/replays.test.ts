import { randomUUID } from 'node:crypto';
import { withPlatform } from '@botyard/shared/db/database';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pruneRows } from '../../../src/housekeeping/store/housekeeping.ts';
import {
  closeWebhooksServices,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  post,
  publishedAll,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let instances: TestService[];

beforeAll(async () => {
  services = await openWebhooksServices();
  instances = [await startWebhooks(services), await startWebhooks(services)];
});
afterAll(() => closeWebhooksServices(services));

const hoursOf = (days: number) => days * 24;

/** Makes all deliveries this much older, as if so many hours had passed. */
const pass = (hours: number) =>
  services.harness.asOwner(
    `update webhooks.deliveries set received_at = received_at - make_interval(hours => $1)`,
    [hours],
  );

const prune = () => withPlatform(services.harness.databaseAs('webhooks'), 'test', pruneRows('deliveries'));

/** Each effect of a delivery takes a place in its conversation; each tenant has one conversation here. */
async function effects(tenantId: string): Promise<number> {
  await publishedAll(services);
  const [row] = await services.harness.asOwner<{ last: string | null }>(
    'select max(last_seq) as last from webhooks.conversations where tenant_id = $1',
    [tenantId],
  );
  return Number(row?.last ?? 0);
}

test('P5: through 7 days of replays, each day 50 simultaneous ones to two instances, a delivery has one effect', async () => {
  const bot = await save(services, newIntegration(services));
  const update = newUpdate(1, `once ${randomUUID()}`);
  const deliverMany = () =>
    Promise.all(Array.from({ length: 50 }, (_, index) => post(instances[index % 2]!, bot, update)));
  for (let day = 0; day <= 7; day += 1) {
    const statuses = (await deliverMany()).map(({ status }) => status);
    expect(statuses).toEqual(Array(50).fill(200));
    expect([day, await effects(bot.tenantId)]).toEqual([day, 1]);
    await pass(hoursOf(1));
    await prune();
  }
  process.stdout.write(`P5: ${8 * 50} deliveries of one update over 7 days, 1 effect\n`);
});

test('P5: the record of a delivery is removed after 8 days and not before', async () => {
  const bot = await save(services, newIntegration(services));
  await post(instances[0]!, bot, newUpdate(1));
  const listDeliveries = () =>
    services.harness.asOwner('select from webhooks.deliveries where bot_id = $1', [bot.botId]);
  await pass(hoursOf(8) - 1);
  await prune();
  expect(await listDeliveries()).toHaveLength(1);
  await pass(2);
  await prune();
  expect(await listDeliveries()).toHaveLength(0);
});
