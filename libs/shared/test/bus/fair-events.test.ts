/**
 * One tenant's flood of events on its way through the outbox, the bus and a consumer, and another tenant's one event.
 */

import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { on } from '../../src/bus/consumer.ts';
import { Outbox } from '../../src/bus/outbox.ts';
import { Consumer } from '../../src/bus/stream-consumer.ts';
import type { Database } from '../../src/db/database.ts';
import { withTenant } from '../../src/db/database.ts';

let harness: ServiceHarness;
let database: Database;
const [loud, quiet] = [uuidv7(), uuidv7()];
const floodSize = 1500;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('webhooks');
});

afterAll(() => harness?.close());

/** Commits a flood, and one event of the other tenant behind it, in one go. */
async function commitFlood(outbox: Outbox): Promise<void> {
  const change = (tenantId: string) => ({ tenantId, botId: uuidv7() });
  await withTenant(database, [loud, quiet], async (tx) => {
    const flood = Array.from({ length: floodSize }, () => change(loud));
    await outbox.emit(tx, endpointChanged, ...flood, change(quiet));
  });
}

test("an event leaves the outbox, and is handled, without waiting for another tenant's many", async () => {
  const bus = await harness.busAs('webhooks');
  const { manager } = bus.live();
  const stream = bus.names.stream('webhooks');
  const outbox = new Outbox({ bus, database, schema: 'webhooks' });
  await commitFlood(outbox);
  await eventually('all of it is on the bus', async () => {
    const { state } = await manager.streams.info(stream);
    return state.messages === floodSize + 1;
  });
  await outbox.stop();
  const ofQuiet = await manager.streams.getMessage(stream, {
    last_by_subj: bus.names.event(endpointChanged, { tenantId: quiet }),
  });
  expect(ofQuiet?.seq).toBeLessThan(200);

  // The other way round: everything of the flood lies on the bus before the quiet tenant's next event.
  await harness.publish(endpointChanged, { tenantId: quiet, botId: uuidv7() });
  const gate = Promise.withResolvers<void>();
  const handled: string[] = [];
  const consumer = new Consumer({
    bus,
    database,
    schema: 'webhooks',
    owner: 'webhooks',
    deps: {},
    subscriptions: [
      on(endpointChanged, async (_tx, { data }) => {
        await gate.promise;
        handled.push(data.tenantId);
      }),
    ],
  });
  consumer.start();
  await eventually('everything is handed to the consumer', async () => {
    const info = await manager.consumers.info(stream, 'webhooks').catch(() => undefined);
    return info?.num_ack_pending === floodSize + 2;
  });
  gate.resolve();
  await eventually('everything is handled', () => handled.length >= floodSize + 2);
  await consumer.stop();
  expect(handled).toHaveLength(floodSize + 2);
  expect(handled.lastIndexOf(quiet)).toBeLessThan(floodSize / 2);
});
