import { randomBytes } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { freePorts } from '../../../../tools/embedded/free-port.ts';
import {
  type NatsOptions,
  type RunningNats,
  startNatsServer,
} from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { Outbox } from '../../src/bus/outbox.ts';
import { type Database, withTenant } from '../../src/db/database.ts';
import { StallMonitor } from '../../src/service/stalls.ts';

let nats: RunningNats;
let options: NatsOptions;
let harness: ServiceHarness;
let database: Database;
let stalls: StallMonitor;
let ends: (() => Promise<unknown>)[];
const tenantId = uuidv7();

beforeEach(async () => {
  const [port = 0, monitorPort = 0] = await freePorts(2);
  const storeDir = join(inject('serversDir'), `nats-${randomBytes(6).toString('hex')}`);
  options = { storeDir, port, monitorPort, users: [], log: () => undefined };
  nats = await startNatsServer(options);
  harness = await ServiceHarness.open({ natsUrl: nats.url });
  database = harness.databaseAs('webhooks');
  stalls = new StallMonitor({ log: harness.log('webhooks') });
  ends = [];
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  await harness?.close();
  await nats?.stop();
  await rm(options.storeDir, { recursive: true, force: true });
});

/** The outbox of a process. */
async function startProcess(): Promise<{ bus: Bus; outbox: Outbox; stop: () => Promise<void> }> {
  const { namespace, natsUrl: url } = harness;
  const bus = new Bus({ service: 'webhooks', url, namespace, log: harness.log('webhooks'), stalls });
  const outbox = new Outbox({ bus, database, schema: 'webhooks' });
  outbox.start();
  await bus.connect();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await outbox.stop();
    await bus.close();
  };
  ends.push(stop);
  return { bus, outbox, stop };
}

const emit = (outbox: Outbox, count: number) =>
  withTenant(database, [tenantId], async (tx) => {
    const events = Array.from({ length: count }, () => ({ tenantId, botId: uuidv7() }));
    await outbox.emit(tx, endpointChanged, ...events);
  });

const allPublished = () =>
  eventually('all is published', async () => {
    const waiting = await harness.asOwner('select from webhooks.outbox where published_at is null');
    return waiting.length === 0;
  });

/** Identifiers of the events that the stream holds. */
async function heldBy(bus: Bus): Promise<Set<string>> {
  const { manager } = bus.live();
  const stream = bus.names.stream('webhooks');
  const { state } = await manager.streams.info(stream);
  const ids = new Set<string>();
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1)
    ids.add((await manager.streams.getMessage(stream, { seq }))?.header.get('Nats-Msg-Id') ?? '');
  return ids;
}

/** Every event of the outbox is also in the stream. */
async function expectAllHeld(bus: Bus): Promise<void> {
  await eventually('the stream holds everything', async () => {
    if (!bus.isConnected) return false;
    const held = await heldBy(bus).catch(() => new Set<string>());
    const rows = await harness.asOwner<{ id: string }>('select id from webhooks.outbox');
    return rows.every(({ id }) => held.has(id));
  });
  await allPublished();
}

/** The server as a snapshot of its disk gives it back. */
async function setBack(work: () => Promise<void>): Promise<void> {
  const copy = `${options.storeDir}-copy`;
  await cp(options.storeDir, copy, { recursive: true });
  ends.unshift(() => rm(copy, { recursive: true, force: true }));
  await work();
  nats.kill();
  await nats.exited;
  await rm(options.storeDir, { recursive: true, force: true });
  await cp(copy, options.storeDir, { recursive: true });
  nats = await startNatsServer(options);
}

test('F-31: events that a reset stream lost are sent again by the connected process', async () => {
  const { bus, outbox } = await startProcess();
  await emit(outbox, 50);
  await allPublished();
  await setBack(async () => {
    await emit(outbox, 200);
    await allPublished();
  });
  await expectAllHeld(bus);
});

test('F-31: events that a stream lost are sent again by a process that starts later, although others have published meanwhile', async () => {
  const first = await startProcess();
  await emit(first.outbox, 50);
  await allPublished();
  await setBack(async () => {
    await emit(first.outbox, 200);
    await allPublished();
    await first.stop();
  });
  // As a process of an older release does, or a canary.
  const other = await harness.busAs('webhooks');
  for (let count = 0; count < 230; count += 1) {
    const subject = other.names.event(endpointChanged, { tenantId });
    await other.live().jetstream.publish(subject, '{}', { msgID: uuidv7() });
  }
  const { bus } = await startProcess();
  await eventually('the loss is noticed', async () => {
    const [known] = await harness.asOwner<{ epoch: number }>('select epoch from webhooks.streams');
    return known?.epoch === 1;
  });
  await expectAllHeld(bus);
});

test('F-31: a complete stream is not refilled: nothing is sent again after a restart of NATS, even if another server reports its creation milliseconds later', async () => {
  const { bus, outbox } = await startProcess();
  await emit(outbox, 50);
  await allPublished();
  const { state, created } = await bus.live().manager.streams.info(bus.names.stream('webhooks'));
  const earlier = new Date(Date.parse(created) - 47).toISOString();
  await harness.asOwner('update webhooks.streams set created_at = $1', [earlier]);
  nats.kill();
  await nats.exited;
  nats = await startNatsServer(options);
  await eventually('it is connected', () => bus.isConnected);
  await emit(outbox, 1);
  await expectAllHeld(bus);
  const after = await bus.live().manager.streams.info(bus.names.stream('webhooks'));
  expect(after.state.last_seq).toBe(state.last_seq + 1);
  expect(await harness.asOwner('select epoch from webhooks.streams')).toEqual([{ epoch: 0 }]);
});

test('F-31: a stream that is deleted at run time is created again, and contains everything', async () => {
  const { bus, outbox } = await startProcess();
  await emit(outbox, 50);
  await allPublished();
  await bus.live().manager.streams.delete(bus.names.stream('webhooks'));
  await emit(outbox, 10);
  await expectAllHeld(bus);
});

test('F-31: a stream that loses events before they are marked keeps no later event from being marked', async () => {
  const { bus, outbox } = await startProcess();
  await emit(outbox, 1);
  await allPublished();
  const { manager } = bus.live();
  const stream = bus.names.stream('webhooks');
  await emit(outbox, 1);
  await eventually('the stream holds both', async () => (await heldBy(bus)).size === 2);
  await manager.streams.delete(stream);
  await outbox.checkStream();
  await expectAllHeld(bus);
});

test('an event that is too large for the bus is a dead letter with a cause, and delays nothing', async () => {
  const { bus, outbox } = await startProcess();
  const row = {
    ...outbox.draft(endpointChanged, { tenantId, botId: uuidv7() }),
    data: JSON.stringify({ text: 'ü'.repeat(1024 * 1024) }),
  };
  await harness.asOwner(
    `insert into webhooks.outbox (id, subject, data, created_at) values ($1, $2, $3, now() - interval '1 minute')`,
    [row.id, row.subject, row.data],
  );
  await emit(outbox, 5);
  await allPublished();
  const letters = await harness.asOwner<{ event_id: string; last_error: string }>(
    'select event_id, last_error from webhooks.dead_letters',
  );
  expect(letters).toEqual([{ event_id: row.id, last_error: expect.stringContaining('published: it is') }]);
  expect((await heldBy(bus)).has(row.id)).toBe(false);
});

test('rule 22: an outbox that NATS accepts nothing from is shown with the reason, and recovers automatically', async () => {
  const { bus, outbox } = await startProcess();
  const stream = bus.names.stream('webhooks');
  await emit(outbox, 1);
  await allPublished();
  const { manager } = bus.live();
  await manager.streams.update(stream, { max_bytes: 100 });
  await emit(outbox, 3);
  const [stall] = await eventually('it is shown', () => stalls.list().length > 0 && stalls.list());
  expect(stall).toMatchObject({ part: 'outbox', reason: expect.stringContaining('maximum bytes exceeded') });
  await manager.streams.update(stream, { max_bytes: 1024 ** 3 });
  await allPublished();
  await eventually('it is over', () => stalls.list().length === 0);
});

test('rule 22: marks that the database does not take are shown, and nothing is lost', async () => {
  const { bus, outbox } = await startProcess();
  await emit(outbox, 1);
  await allPublished();
  const blocking = await database.pool.connect();
  await blocking.query(
    'begin; set local idle_in_transaction_session_timeout = 0; lock table webhooks.streams in exclusive mode',
  );
  await emit(outbox, 3);
  await eventually('it is shown', () =>
    stalls.list().some(({ part }) => part === 'marks of published events'),
  );
  await blocking.query('commit');
  blocking.release();
  await expectAllHeld(bus);
  await eventually('it is over', () => stalls.list().length === 0);
});
