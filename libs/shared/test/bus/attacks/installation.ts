import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { onTestFinished } from 'vitest';
import { startNatsServer } from '../../../../../tools/embedded/nats-server.ts';
import { natsAccounts, operator } from '../../../src/bus/accounts.ts';
import { Bus } from '../../../src/bus/bus.ts';
import { answerConsumerRequests, ensureConsumer } from '../../../src/bus/durable.ts';
import { createNames } from '../../../src/bus/names.ts';
import { consumedOwners, natsPermissions } from '../../../src/bus/permissions.ts';
import { ensureStream } from '../../../src/bus/streams.ts';
import { createNatsObjects } from '../../../src/files/objects/nats-objects.ts';
import { createLog } from '../../../src/log/log.ts';
import { drainSubject, serviceNames } from '../../../src/system/subjects.ts';

export const namespace = 'botyard';
export const names = createNames(namespace);
export const owners = serviceNames.filter((name) => events.some(({ owner }) => owner === name));
const password = 'p';

/** A message that reached a service which was not its sender. */
export interface Heard {
  by: ServiceName;
  subject: string;
  text: string;
}

/** A server with the accounts of an installation, a process of each service, and logins of an attacker. */
export interface Installation {
  url: string;
  buses: ReadonlyMap<ServiceName, Bus>;
  heard: Heard[];
  /** A login in a service's account that the server holds to no permissions: only the account contains it. */
  attackerIn(service: ServiceName): Promise<NatsConnection>;
  /** With the service's own login. */
  loginOf(service: ServiceName): Promise<NatsConnection>;
  /** Configurations, positions and contents of everything that is stored. */
  stored(): Promise<Record<string, unknown>>;
  /** Resolves when everything that was sent before, and that JetStream delivers because of it, has arrived. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

interface Account {
  users?: { user: string; password: string }[];
}

export async function openInstallation(): Promise<Installation> {
  const dir = await mkdtemp(join(tmpdir(), 'botyard-attacks-'));
  const limits = { filesMaxBytes: 64 * 1024 ** 2, replicas: 1 };
  const config = natsAccounts({ namespace, passwordOf: () => password, ...limits });
  for (const service of serviceNames)
    (config[service] as Account).users?.push({ user: `attacker-${service}`, password });
  const accounts = { config, login: { user: operator, password } };
  const nats = await startNatsServer({ storeDir: dir, users: [], accounts, log: () => undefined });
  const ends: (() => Promise<unknown>)[] = [
    () => rm(dir, { recursive: true, force: true }),
    () => nats.stop(),
  ];
  const open = async (user: string, inboxPrefix: string) => {
    const connection = await connect({
      servers: nats.url,
      user,
      pass: password,
      inboxPrefix,
      reconnect: false,
    });
    ends.push(() => connection.close());
    return connection;
  };
  const heard: Heard[] = [];
  const buses = new Map<ServiceName, Bus>();
  for (const service of serviceNames) {
    const bus = new Bus({
      service,
      url: nats.url,
      namespace,
      user: service,
      password,
      log: createLog('test', 'silent'),
    });
    await bus.connect();
    ends.push(() => bus.close());
    buses.set(service, bus);
  }
  await prepare(buses);
  const listeners: NatsConnection[] = [];
  for (const service of serviceNames) {
    const listener = await open(service, names.inboxPrefix(service));
    listen(listener, service, heard);
    await listener.flush();
    listeners.push(listener);
  }
  const manager = await jetstreamManager(await open(operator, '_INBOX.operator'), { checkAPI: false });
  return {
    url: nats.url,
    buses,
    heard,
    attackerIn: async (service) => {
      const connection = await open(`attacker-${service}`, `_INBOX.attacker.${service}`);
      onTestFinished(() => connection.close());
      return connection;
    },
    loginOf: (service) => open(service, names.inboxPrefix(service)),
    stored: () => readStored(manager),
    settle: async () => {
      for (let round = 0; round < 3; round += 1) {
        await readStored(manager);
        await Promise.all(listeners.map((listener) => listener.flush()));
      }
    },
    close: async () => {
      for (const end of ends.reverse()) await end();
    },
  };
}

/** Streams with an event of each kind, consumers that have them before them, and a file. */
async function prepare(buses: ReadonlyMap<ServiceName, Bus>): Promise<void> {
  for (const owner of owners) {
    const bus = buses.get(owner)!;
    await ensureStream(bus);
    answerConsumerRequests(bus);
    await bus.live().connection.flush();
    for (const event of events.filter((one) => one.owner === owner))
      await bus.live().jetstream.publish(names.event(event, {}), '{"of":"its owner"}');
  }
  const { default: recorded } = await import('../../../src/bus/bus-version.json', { with: { type: 'json' } });
  for (const [service, consumed] of Object.entries(recorded.consumers))
    for (const owner of consumedOwners[service] ?? []) {
      const wanted = events.filter((event) => event.owner === owner && consumed.includes(event.name));
      if (wanted.length > 0)
        await ensureConsumer(buses.get(service as ServiceName)!, { owner, events: wanted, version: 1 });
    }
  const files = createNatsObjects(buses.get('tenancy')!, { maxBytes: 32 * 1024 ** 2 });
  const { Readable } = await import('node:stream');
  await files.put('a/b/c', Readable.from([Buffer.from('a file')]), { sizeBytes: 6, sha256: '' });
}

/** Records all that the service may hear, and more: its account holds nothing back from it. */
function listen(connection: NatsConnection, by: ServiceName, heard: Heard[]): void {
  for (const subject of natsPermissions(namespace, by).subscribe)
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) heard.push({ by, subject: message.subject, text: message.string() });
      },
    });
}

async function readStored(manager: JetStreamManager): Promise<Record<string, unknown>> {
  const stored: Record<string, unknown> = {};
  for (const stream of [...owners.map(names.stream), `OBJ_${names.bucket}`]) {
    const { config, state } = await manager.streams.info(stream, { subjects_filter: '>' });
    stored[stream] = { config, messages: state.messages, first: state.first_seq, last: state.last_seq };
    if (stream.startsWith('OBJ_')) continue;
    for await (const { name, config: settings, delivered, ack_floor } of manager.consumers.list(stream))
      stored[`${stream} ${name}`] = {
        settings,
        delivered: delivered.stream_seq,
        floor: ack_floor.stream_seq,
      };
  }
  return stored;
}

/** Every subject that means something to some service, with a token for each wildcard. */
export function allSubjects(): string[] {
  const own = serviceNames.flatMap((service) => natsPermissions(namespace, service).subscribe);
  return [
    ...new Set([
      ...own,
      ...events.map((event) => names.event(event, {})),
      ...requests.map(names.request),
      ...signals.map(names.signal),
      ...serviceNames.map((service) => drainSubject(namespace, service)),
      ...serviceNames.flatMap((owner) =>
        serviceNames.map((service) => names.consumerRequest(owner, service)),
      ),
      ...serviceNames.map((service) => `${namespace}.system.restart.${service}`),
      ...serviceNames.map((service) => `$SRV.PING.${namespace}-${service}`),
      ...serviceNames.map((service) => `${names.inboxPrefix(service)}.guessed.1`),
    ]),
  ].map((subject) => subject.replaceAll('*', 'x').replace('>', 'x.x.x.x.x'));
}

export const pullFrom = (stream: string, consumer: string) =>
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
