import { randomUUID } from 'node:crypto';
import { authorizationChanged, type botDeleted, tenantDeleted } from '@botyard/contracts/events/tenancy';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { on } from '../../src/bus/consumer.ts';
import { Consumer } from '../../src/bus/stream-consumer.ts';

let harness: ServiceHarness;
let bus: Bus;
let running: Consumer<unknown>[];
beforeEach(async () => {
  harness = await ServiceHarness.open();
  running = [];
  [bus] = await Promise.all([harness.busAs('usage'), harness.busAs('tenancy')]);
});
afterEach(async () => {
  await Promise.all(running.map((consumer) => consumer.stop()));
  await harness?.close();
});

const stream = () => bus.names.stream('tenancy');
const info = () => bus.live().manager.consumers.info(stream(), 'usage');
const filters = async () => {
  const { config } = await info();
  return (config.filter_subjects ?? [config.filter_subject]).map((subject = '') =>
    bus.names.eventNameOf(subject),
  );
};

/** A process of a release that knows these events. Returns the events that it handled. */
function startRelease(
  version: number,
  events: readonly (typeof authorizationChanged | typeof tenantDeleted | typeof botDeleted)[],
  { maxUnknownDeliveries = 30 } = {},
) {
  const handled: string[] = [];
  const consumer = new Consumer<unknown>({
    bus,
    database: harness.databaseAs('usage'),
    schema: 'usage',
    owner: 'tenancy',
    version,
    maxUnknownDeliveries,
    subscriptions: events.map((event) =>
      on(event, async (_tx, { data }) => void handled.push(data.tenantId)),
    ),
    deps: {},
  });
  consumer.start();
  running.push(consumer);
  const stop = async () => {
    running.splice(running.indexOf(consumer), 1);
    await consumer.stop();
  };
  return { handled, stop };
}

async function publish(
  event: typeof authorizationChanged | typeof tenantDeleted,
  count: number,
): Promise<string[]> {
  const tenantIds = Array.from({ length: count }, () => randomUUID());
  for (const tenantId of tenantIds) await harness.publish(event, { tenantId } as never);
  return tenantIds;
}

const handles = (what: string, handled: readonly string[], wanted: readonly string[]) =>
  eventually(what, () => wanted.every((tenantId) => handled.includes(tenantId)));

test('F-30: a consumer of an older release is updated, and earlier messages on added subjects are handled', async () => {
  // As releases before the versions made it.
  await bus.live().manager.consumers.add(stream(), {
    durable_name: 'usage',
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: 8e9,
    max_deliver: -1,
    max_ack_pending: 2000,
    filter_subjects: [bus.names.everyEvent(tenantDeleted)],
  });
  const skipped = await publish(authorizationChanged, 5);
  await publish(tenantDeleted, 3);
  const consumer = await bus.live().jetstream.consumers.get(stream(), 'usage');
  for await (const message of await consumer.fetch({ max_messages: 3, expires: 5000 })) message.ack();
  const waiting = [...(await publish(tenantDeleted, 2)), ...(await publish(authorizationChanged, 2))];
  const { handled } = startRelease(1, [tenantDeleted, authorizationChanged]);
  const later = [...(await publish(tenantDeleted, 2)), ...(await publish(authorizationChanged, 2))];
  await handles('everything is handled', handled, [...skipped, ...waiting, ...later]);
  expect(new Set(handled).size).toBe(handled.length);
  expect((await filters()).sort()).toEqual([authorizationChanged.name, tenantDeleted.name].sort());
  await eventually('nothing is left to catch up with', async () => {
    const { config } = await info();
    const names = await bus.live().manager.consumers.list(stream()).next();
    return names.length === 1 && config.durable_name === 'usage';
  });
});

test('F-30: an older process keeps working beside a newer one, and each event is handled once', async () => {
  const older = startRelease(1, [tenantDeleted]);
  const first = await publish(tenantDeleted, 20);
  await handles('the older one works', older.handled, first);
  const newer = startRelease(2, [tenantDeleted, authorizationChanged]);
  const [known, added] = await Promise.all([publish(tenantDeleted, 200), publish(authorizationChanged, 200)]);
  const all = () => [...older.handled, ...newer.handled];
  await eventually('everything is handled', () => [...known, ...added].every((id) => all().includes(id)));
  expect(new Set(all()).size).toBe(all().length);
  await newer.stop();
  const alone = await publish(tenantDeleted, 20);
  await handles('the older one goes on alone', older.handled, alone);
});

test('F-30: an older process that starts after a newer one consumes without changing the consumer', async () => {
  const newer = startRelease(2, [tenantDeleted, authorizationChanged]);
  await handles('the newer one works', newer.handled, await publish(authorizationChanged, 3));
  await newer.stop();
  const older = startRelease(1, [tenantDeleted]);
  await handles('the older one works', older.handled, await publish(tenantDeleted, 20));
  expect((await filters()).sort()).toEqual([authorizationChanged.name, tenantDeleted.name].sort());
});

test('F-30: events that no running version knows are parked with a cause, and handled by the next version that does', async () => {
  const first = startRelease(2, [tenantDeleted, authorizationChanged]);
  await handles('the newer one works', first.handled, await publish(tenantDeleted, 1));
  await first.stop();
  const older = startRelease(1, [tenantDeleted], { maxUnknownDeliveries: 3 });
  const unknown = await publish(authorizationChanged, 3);
  await handles('known events are not held up', older.handled, await publish(tenantDeleted, 3));
  const parked = () =>
    harness.asOwner<{ last_error: string }>('select last_error from usage.dead_letters order by event_id');
  await eventually('they are parked', async () => (await parked()).length === 3);
  expect((await parked())[0]?.last_error).toContain(`unknown event ${authorizationChanged.name}`);
  const newer = startRelease(2, [tenantDeleted, authorizationChanged]);
  await handles('the newer one handles them', newer.handled, unknown);
  await eventually('they are dead no longer', async () => (await parked()).length === 0);
  expect(new Set(newer.handled).size).toBe(newer.handled.length);
});

test("a consumer whose settings can't be changed is created again, and nothing is lost or handled twice", async () => {
  const before = startRelease(1, [tenantDeleted]);
  const first = await publish(tenantDeleted, 3);
  await handles('it works', before.handled, first);
  await harness.settled('usage', 'tenancy');
  await before.stop();
  await bus.live().manager.consumers.delete(stream(), 'usage');
  await bus.live().manager.consumers.add(stream(), {
    durable_name: 'usage',
    ack_policy: AckPolicy.All,
    deliver_policy: DeliverPolicy.New,
    filter_subjects: [bus.names.everyEvent(tenantDeleted)],
  });
  const { handled } = startRelease(1, [tenantDeleted]);
  const later = await publish(tenantDeleted, 3);
  await handles('it works again', handled, later);
  expect(handled.filter((tenantId) => first.includes(tenantId))).toEqual([]);
});
