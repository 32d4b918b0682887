import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import { eventually } from '@botyard/testing/eventually';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { createNames } from '../../src/bus/names.ts';
import { consumedOwners, natsPermissions } from '../../src/bus/permissions.ts';
import { asker, drainSubject, serviceNames } from '../../src/system/subjects.ts';

/**
 * A server with the users of an installation in one account, and programs that try what no service's code does. The
 * accounts are tried in `attacks/`.
 */
const namespace = 'botyard';
const names = createNames(namespace);
const password = 'p';
let nats: RunningNats;
let dir: string;
let admin: NatsConnection;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'botyard-rights-'));
  const services = serviceNames.map((user) => ({ user, password, ...natsPermissions(namespace, user) }));
  const users = [{ user: 'admin', password, publish: ['>'], subscribe: ['>'] }, ...services];
  nats = await startNatsServer({ storeDir: dir, users, log: () => undefined });
  admin = await connect({ servers: nats.url, user: 'admin', pass: password });
  const manager = await jetstreamManager(admin);
  for (const owner of serviceNames.filter((name) => name !== 'gateway'))
    await manager.streams.add({ name: names.stream(owner), subjects: [names.streamSubjects(owner)] });
});
afterAll(async () => {
  await admin?.close();
  await nats?.stop();
  await rm(dir, { recursive: true, force: true });
});

async function connectAs(user: string): Promise<NatsConnection> {
  const inboxPrefix = names.inboxPrefix(user);
  const connection = await connect({ servers: nats.url, user, pass: password, inboxPrefix });
  onTestFinished(() => connection.close());
  return connection;
}

/** Subjects that the server refused to this connection, as it says so. */
function refusedTo(connection: NatsConnection): string[] {
  const refused: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') refused.push(/"([^"]+)"/.exec(status.error.message)?.[1] ?? '');
  })();
  return refused;
}

/**
 * Everything that belongs to others: their inboxes, events, signals, requests that only they may send, and consumers.
 */
function foreignSubjects(service: string): string[] {
  const others = serviceNames.filter((name) => name !== service);
  const consumers = others.flatMap((other) =>
    // The owner of a stream creates and deletes the consumers on it.
    (consumedOwners[other] ?? [])
      .filter((owner) => owner !== service)
      .flatMap((owner) => [
        `$JS.API.CONSUMER.DELETE.${names.stream(owner)}.${other}`,
        `$JS.API.CONSUMER.MSG.NEXT.${names.stream(owner)}.${other}`,
        `$JS.API.CONSUMER.CREATE.${names.stream(owner)}.${other}`,
        `$JS.ACK.${names.stream(owner)}.${other}.1.1.1.1.0`,
      ]),
  );
  return [
    'anything',
    `${namespace}.anything`,
    '_INBOX.anything',
    ...others.map((other) => `${names.inboxPrefix(other)}.nuid.1`),
    ...others.map((other) => drainSubject(namespace, other)),
    ...others.map((other) => `$JS.API.STREAM.DELETE.${names.stream(other)}`),
    ...events.filter(({ owner }) => owner !== service).map((event) => names.event(event, {})),
    ...signals.filter(({ owner }) => owner !== service).map(names.signal),
    ...requests.filter(({ callers }) => !callers.some((caller) => caller === service)).map(names.request),
    ...(service === asker ? [] : ['botyard.system.restart.keys', '$SRV.PING.botyard-keys']),
    ...consumers,
  ];
}

describe.each(serviceNames)('%s', (service) => {
  test('publishes in no name that is not its own', async () => {
    const connection = await connectAs(service);
    const refused = refusedTo(connection);
    const foreign = foreignSubjects(service);
    const heard: string[] = [];
    admin.subscribe('>', { callback: (_error, { subject }) => void heard.push(subject) });
    await admin.flush();
    for (const subject of foreign) connection.publish(subject, '{}');
    await connection.flush();
    await admin.flush();
    await eventually('the server has told of all refusals', () => refused.length >= foreign.length);
    expect(refused.sort()).toEqual([...foreign].sort());
    expect(heard.filter((subject) => foreign.includes(subject))).toEqual([]);
  });

  test('receives no messages or requests that are meant for others', async () => {
    const connection = await connectAs(service);
    const others = serviceNames.filter((name) => name !== service);
    const foreign = [
      '>',
      '_INBOX.>',
      `_INBOX.${namespace}.>`,
      ...others.map((other) => `${names.inboxPrefix(other)}.>`),
      ...requests.filter(({ owner }) => owner !== service).map(names.request),
      ...events.filter(({ owner }) => !consumedOwners[service]?.includes(owner)).map(names.everyEvent),
      ...signals.filter(({ listeners }) => !listeners.some((name) => name === service)).map(names.signal),
      '$JS.>',
    ];
    const outcomes = foreign.map(
      (subject) =>
        new Promise<string>((resolve) => {
          connection.subscribe(subject, { callback: (error) => resolve(error ? subject : 'heard') });
        }),
    );
    expect(await Promise.all(outcomes)).toEqual(foreign);
  });
});

test.each(serviceNames.filter((name) => name !== asker))(
  '%s receives nothing that it may send itself but its own events and signals, so it can not answer its own requests',
  async (service) => {
    const rights = natsPermissions(namespace, service);
    const connection = await connectAs(service);
    const heard: string[] = [];
    for (const subject of rights.subscribe)
      connection.subscribe(subject, {
        callback: (error, message) => void (error ?? heard.push(message.subject)),
      });
    const victim = createInbox(names.inboxPrefix(serviceNames.find((name) => name !== service)!));
    const own = [names.streamSubjects(service), ...signals.map(names.signal)];
    const sent = rights.publish.filter((one) => !one.startsWith('$') && !own.includes(one));
    for (const subject of sent)
      connection.publish(subject.replaceAll('*', 'x').replace('>', 'x'), '{}', { reply: victim });
    await connection.flush();
    expect(heard).toEqual([]);
  },
);

describe('an answer', () => {
  const question = requests.find(({ owner, callers }) => owner === 'keys' && callers.includes('agents'))!;

  test('goes to the requester, once, and nowhere else', async () => {
    const [asking, answering] = [await connectAs('agents'), await connectAs('keys')];
    const refused = refusedTo(answering);
    const receivedRequest = Promise.withResolvers<Msg>();
    answering.subscribe(names.request(question), {
      callback: (_error, message) => {
        message.respond('first');
        receivedRequest.resolve(message);
      },
    });
    await answering.flush();
    const reply = await asking.request(names.request(question), '{}', { timeout: 5000 });
    expect(reply.string()).toBe('first');
    const inbox = (await receivedRequest.promise).reply!;
    expect(inbox.startsWith(`${names.inboxPrefix('agents')}.`)).toBe(true);
    answering.publish(inbox, 'second');
    answering.publish(`${inbox}x`, 'another');
    await eventually('the server has told of both', () => refused.length >= 2);
    expect(refused).toEqual([inbox, `${inbox}x`]);
  });
});

test('events are pulled and acknowledged by the consumer of their service, within its rights', async () => {
  const [owner, service] = ['webhooks', 'agents'];
  const publishing = jetstream(await connectAs(owner));
  const event = events.find((one) => one.owner === owner)!;
  for (let number = 1; number <= 20; number += 1)
    await publishing.publish(names.event(event, {}), `${number}`);
  const connection = await connectAs(service);
  const refused = refusedTo(connection);
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const stream = names.stream(owner);
  const owning = await jetstreamManager(await connectAs(owner), { checkAPI: false });
  await owning.consumers.add(stream, {
    durable_name: service,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    filter_subjects: [names.everyEvent(event)],
  });
  const consumer = await jetstream(connection).consumers.get(stream, service);
  const read: string[] = [];
  for await (const message of await consumer.consume({ max_messages: 5 })) {
    read.push(message.string());
    expect(await message.ackAck()).toBe(true);
    if (read.length === 20) break;
  }
  expect(await manager.consumers.info(stream, service)).toMatchObject({ num_ack_pending: 0, num_pending: 0 });
  expect(refused).toEqual([]);
});
