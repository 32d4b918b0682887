import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { on, onBatch, onGathered } from '@botyard/shared/bus/consumer';
import { maxAttempts, recordFailure } from '@botyard/shared/bus/dead-letters';
import { prune } from '@botyard/shared/bus/outbox-rows';
import { Consumer } from '@botyard/shared/bus/stream-consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

/** Postgres's error if another session holds the row, or for a deadlock. */
const refuse = (tx: TenantTx, code: string) =>
  tx.query({ name: `test.${code}`, text: `do $$ begin raise sqlstate '${code}'; end $$`, values: [] });

test('an event whose rows are locked is retried until it is handled, and never counts as failed', async () => {
  const [bus] = await Promise.all([harness.busAs('usage'), harness.busAs('tenancy')]);
  const states = ['55P03', '40P01', '40001'];
  const codes = Array.from({ length: maxAttempts }, (_, index) => states[index % states.length] ?? '');
  const tenantId = randomUUID();
  const handled: string[] = [];
  const consumer = new Consumer({
    bus,
    database: harness.databaseAs('usage'),
    schema: 'usage',
    owner: 'tenancy',
    subscriptions: [
      on(authorizationChanged, async (tx, event) => {
        const code = codes.shift();
        if (code) await refuse(tx, code);
        handled.push(event.data.tenantId);
      }),
    ],
    deps: {},
  });
  consumer.start();
  await harness.publish(authorizationChanged, { tenantId });
  await eventually('it is handled', () => handled.length > 0);
  await harness.settled('usage', 'tenancy');
  await consumer.stop();
  expect(handled).toEqual([tenantId]);
  expect(await harness.asOwner('select from usage.consumer_failures')).toEqual([]);
  expect(await harness.asOwner('select from usage.dead_letters')).toEqual([]);
});

test('events without an urgent effect are handled once each, even if the process that gathered them stops', async () => {
  const [bus] = await Promise.all([harness.busAs('usage'), harness.busAs('tenancy')]);
  const handled: string[] = [];
  const start = () => {
    const consumer = new Consumer({
      bus,
      database: harness.databaseAs('usage'),
      schema: 'usage',
      owner: 'tenancy',
      deps: {},
      subscriptions: [
        onGathered(authorizationChanged, async (_tx, events) => {
          handled.push(...events.map(({ data }) => data.tenantId));
        }),
      ],
    });
    consumer.start();
    return consumer;
  };
  const tenantIds = Array.from({ length: 5 }, () => randomUUID());
  const first = start();
  for (const tenantId of tenantIds.slice(0, 3)) await harness.publish(authorizationChanged, { tenantId });
  await first.stop();
  const second = start();
  for (const tenantId of tenantIds.slice(3)) await harness.publish(authorizationChanged, { tenantId });
  await eventually('all are handled', () => handled.length >= tenantIds.length);
  await harness.settled('usage', 'tenancy');
  await second.stop();
  expect(handled.toSorted()).toEqual(tenantIds.toSorted());
});

test('the more events a batch had, the longer the next one waits for others; a single event delays none', async () => {
  const [bus] = await Promise.all([harness.busAs('usage'), harness.busAs('tenancy')]);
  const batches: string[][] = [];
  const held = Promise.withResolvers<void>();
  const consumer = new Consumer({
    bus,
    database: harness.databaseAs('usage'),
    schema: 'usage',
    owner: 'tenancy',
    deps: {},
    subscriptions: [
      onBatch(authorizationChanged, async (_tx, events) => {
        batches.push(events.map(({ data }) => data.tenantId));
        if (batches.length === 2) await held.promise;
      }),
    ],
    pause: { forEachMs: 2000, maxMs: 4000 },
  });
  const publish = (tenantIds: readonly string[]) =>
    Promise.all(tenantIds.map((tenantId) => harness.publish(authorizationChanged, { tenantId })));
  const [first, second, ...burst] = Array.from({ length: 30 }, () => randomUUID());
  const later = Array.from({ length: 3 }, () => randomUUID());
  consumer.start();
  for (const [index, alone] of [first!, second!].entries()) {
    await publish([alone]);
    await eventually('one that came alone is handled', () => batches.length > index);
  }
  await publish(burst);
  held.resolve();
  await eventually('those that came meanwhile are handled', () => batches.length > 2);
  for (const tenantId of later) await publish([tenantId]);
  await eventually('all are handled', () => batches.flat().length >= 33);
  await harness.settled('usage', 'tenancy');
  await consumer.stop();
  expect(batches.slice(0, 2)).toEqual([[first], [second]]);
  // The last of the burst may come while its batch begins: it shares the next one, too.
  expect(batches).toHaveLength(4);
  expect(batches[3]).toEqual(expect.arrayContaining(later));
  expect(batches.flat().toSorted()).toEqual([first, second, ...burst, ...later].toSorted());
});

test('the failures of an event are forgotten after 8 days', async () => {
  const database = harness.databaseAs('usage');
  const [old, recent] = [randomUUID(), randomUUID()];
  for (const eventId of [old, recent]) await recordFailure(database, 'usage', eventId, 'failed');
  const age = "update usage.consumer_failures set failed_at = now() - interval '8 days' where event_id = $1";
  await harness.asOwner(age, [old]);
  await prune(database, 'usage');
  expect(await harness.asOwner('select event_id from usage.consumer_failures')).toEqual([
    { event_id: recent },
  ]);
});
