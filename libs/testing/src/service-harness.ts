/**
 * Services of one test file, in this process: their own database (a clone of the migrated template), their own
 * subjects, real Postgres, real NATS, real settings. `call` signs an identity as the gateway does.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { DataOf, EventScope, EventType } from '@botyard/contracts/events/definition';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { createIdentitySigner, generateIdentityKeys, type SignIdentity } from '@botyard/shared/auth/identity';
import { hasAcknowledgedAll } from '@botyard/shared/bus/acknowledged';
import { Bus, traceHeaders } from '@botyard/shared/bus/bus';
import { answerConsumerRequests } from '@botyard/shared/bus/durable';
import { ensureStream } from '@botyard/shared/bus/streams';
import { type ProcessConfig, readConfig } from '@botyard/shared/config/config';
import { createDatabase, type Database } from '@botyard/shared/db/database';
import { roleOf, type ServiceWithSchema } from '@botyard/shared/db/migrate';
import { readerRole } from '@botyard/shared/db/reader';
import { createLog, type Log } from '@botyard/shared/log/log';
import {
  type App,
  type RunningService,
  type RuntimeContext,
  runService,
} from '@botyard/shared/service/run-service';
import { describeSettings } from '@botyard/shared/system/settings';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { inject } from 'vitest';
import type { z } from 'zod';
import { eventually, patienceMs } from './eventually.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { type TestCall, testCaller } from './test-call.ts';

export interface TestService {
  url: string;
  call: TestCall;
  /** The gateway's identity header, for requests that `call` can't make. */
  identityOf(caller: Parameters<SignIdentity>[0]): Promise<string>;
  stop(): Promise<void>;
}

interface ServiceParts<Schema extends z.ZodType<ProcessConfig>> {
  service: ServiceName;
  schema: Schema;
  createApp: (config: z.output<Schema>, runtime: RuntimeContext) => Promise<App>;
  /** Settings in addition to those of the harness. */
  env?: Readonly<Record<string, string>>;
}

/** Servers to use instead of the shared ones, such as ones that a test may kill. Postgres needs the template. */
export interface Servers {
  postgresUrl?: string;
  natsUrl?: string;
}

export class ServiceHarness {
  readonly namespace = `test_${randomUUID().replaceAll('-', '')}`;
  readonly databaseName = this.namespace;
  /** Every log line of every service that was started here, unchanged. */
  readonly logLines: string[] = [];
  readonly secretsKeys = `test:${randomBytes(32).toString('base64url')}`;
  readonly #lines = { write: (line: string) => void this.logLines.push(line) };
  readonly #identity: { sign: SignIdentity; signingKey: string; verifyKey: string };
  readonly #postgresUrl: string;
  readonly natsUrl: string;
  readonly #namespaces = new Set<string>();
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #buses = new Map<string, Promise<Bus>>();
  #owner: pg.Pool | undefined;

  private constructor(
    identity: { sign: SignIdentity; signingKey: string; verifyKey: string },
    { postgresUrl = inject('postgresUrl'), natsUrl = inject('natsUrl') }: Servers,
  ) {
    this.#identity = identity;
    this.#postgresUrl = postgresUrl;
    this.natsUrl = natsUrl;
  }

  static async open(servers: Servers = {}): Promise<ServiceHarness> {
    const { signingKey, verifyKey } = await generateIdentityKeys();
    const identity = { sign: await createIdentitySigner(signingKey), signingKey, verifyKey };
    const harness = new ServiceHarness(identity, servers);
    await harness.#onServer((owner) =>
      // Copied as files: copying through the write-ahead log takes twice as long.
      owner.query(`create database ${harness.databaseName} template botyard_template strategy file_copy`),
    );
    return harness;
  }

  /** Starts a service and waits until it is ready. A `namespace` sets it apart on the bus, on the same database. */
  async start<Schema extends z.ZodType<ProcessConfig>>(
    parts: ServiceParts<Schema>,
    { namespace = this.namespace }: { namespace?: string } = {},
  ): Promise<TestService> {
    const { service, schema, createApp } = parts;
    const env = { ...this.#env(service as ServiceWithSchema, namespace), ...parts.env };
    const config = readConfig(schema, env) as z.output<Schema>;
    const running = await runService(service, config, createApp, {
      destination: this.#lines,
      settings: describeSettings(schema, env, config as object),
    });
    this.#namespaces.add(namespace);
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= running.stop();
      return stopping;
    };
    this.#ends.push(stop);
    await isReady(running);
    const sign = (identity: Parameters<SignIdentity>[0]) => this.#identity.sign(identity, service);
    return { url: running.url, call: testCaller(running.url, sign), identityOf: sign, stop };
  }

  /** Starts a service in its own process and waits until it is ready. */
  async startProcess(
    service: ServiceWithSchema,
    env: Readonly<Record<string, string>> = {},
  ): Promise<TestService & ServiceProcess> {
    const running = await startServiceProcess(service, { ...this.#env(service, this.namespace), ...env });
    this.#ends.push(running.stop);
    // A process that is meant to die may do so before it is ready.
    await Promise.race([isReady(running), running.ended]);
    const sign = (identity: Parameters<SignIdentity>[0]) => this.#identity.sign(identity, service);
    return { ...running, call: testCaller(running.url, sign), identityOf: sign };
  }

  /** The database with the rights of a service's login role: row-level security applies as in the service. */
  databaseAs(service: ServiceWithSchema | 'reader'): Database {
    const url = this.databaseUrl(service);
    const database = createDatabase({
      url,
      applicationName: `test-${service}`,
      acquireTimeoutMs: 60_000,
      log: this.log('test'),
    });
    this.#ends.push(() => database.close());
    return database;
  }

  /** Runs statements as the owner, bypassing row-level security, to inspect and to tamper. */
  async asOwner<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    this.#owner ??= this.#ownerPool();
    return (await this.#owner.query<Row>(text, values)).rows;
  }

  /** A connection to the bus with a service's login; closed with the harness. */
  busAs(service: ServiceName, { namespace = this.namespace }: { namespace?: string } = {}): Promise<Bus> {
    const key = `${namespace}/${service}`;
    const connection = this.#buses.get(key);
    if (connection !== undefined) return connection;
    const connecting = this.#connect(service, namespace);
    this.#buses.set(key, connecting);
    return connecting;
  }

  /** A connection in a service's name to every namespace of this harness: separate instances publish to their own. */
  busesAs(service: ServiceName): Promise<Bus[]> {
    return Promise.all([...this.#namespaces].map((namespace) => this.busAs(service, { namespace })));
  }

  /** Publishes an event in its owner's name, like the owner's outbox. Returns the event's id. */
  async publish<E extends EventType>(
    event: E,
    data: DataOf<E>,
    { eventId = uuidv7(), namespace }: { eventId?: string; namespace?: string } = {},
  ): Promise<string> {
    const bus = await this.busAs(event.owner, namespace ? { namespace } : {});
    const subject = bus.names.event(event, data as EventScope);
    await bus
      .live()
      .jetstream.publish(subject, JSON.stringify(data), { msgID: eventId, headers: traceHeaders() });
    return eventId;
  }

  /** Resolves when a service has acknowledged everything that an owner has committed or published so far. */
  async settled(
    service: ServiceName,
    owner: ServiceName,
    options: { namespace?: string } = {},
  ): Promise<void> {
    const bus = await this.busAs(owner, options);
    const { manager } = bus.live();
    await eventually(`${owner} has published what it committed`, async () => {
      const waiting = await this.asOwner(`select from ${owner}.outbox where published_at is null limit 1`);
      return waiting.length === 0;
    });
    await eventually(`${service} has acknowledged the events of ${owner}`, () =>
      hasAcknowledgedAll(manager, bus.names.stream(owner), service),
    );
  }

  log(service: string): Log {
    return createLog(service, 'trace', this.#lines);
  }

  /** Stops everything started, last first, and removes the database and the streams. */
  async close(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
    await this.#owner?.end();
    await Promise.all([
      this.#deleteStreams(),
      this.#onServer((owner) => owner.query(`drop database if exists ${this.databaseName} with (force)`)),
    ]);
  }

  async #connect(service: ServiceName, namespace: string): Promise<Bus> {
    const log = this.log('test');
    const bus = new Bus({ service, url: this.natsUrl, namespace, log, callTimeoutMs: patienceMs });
    this.#namespaces.add(namespace);
    this.#ends.push(() => bus.close());
    await bus.connect();
    await ensureStream(bus);
    answerConsumerRequests(bus);
    return bus;
  }

  /** Every stream reserves space on the shared server. */
  async #deleteStreams(): Promise<void> {
    const address = { url: this.natsUrl, namespace: this.namespace, callTimeoutMs: patienceMs };
    const bus = new Bus({ ...address, service: 'gateway', log: this.log('test') });
    await bus.connect();
    const { manager } = bus.live();
    for await (const name of manager.streams.names()) {
      const [, namespace = ''] = /^(?:OBJ_)?(.*)_\w+?$/.exec(name) ?? [];
      if (this.#namespaces.has(namespace)) await manager.streams.delete(name);
    }
    await bus.close();
  }

  /** Address of the database for a service's role, for tests that use a proxy. */
  databaseUrl(service: ServiceWithSchema | 'reader'): string {
    const url = new URL(this.#postgresUrl);
    url.pathname = `/${this.databaseName}`;
    // The owner's login, which acts as the service's role from the first statement on: no passwords to share between
    // files.
    url.searchParams.set('options', `-c role=${service === 'reader' ? readerRole : roleOf(service)}`);
    return url.toString();
  }

  /** The settings of a service's process here, for tests that start it themselves. */
  envOf(service: ServiceWithSchema): Record<string, string> {
    return this.#env(service, this.namespace);
  }

  /** The gateway's signing key here, which the services trust. */
  get identitySigningKey(): string {
    return this.#identity.signingKey;
  }

  #ownerPool(): pg.Pool {
    const url = new URL(this.#postgresUrl);
    url.pathname = `/${this.databaseName}`;
    const pool = new pg.Pool({ connectionString: url.toString(), idleTimeoutMillis: 1000, max: 20 });
    // A server killed meanwhile only fails the statement, not the test process.
    pool.on('error', () => undefined);
    return pool;
  }

  async #onServer<Result>(work: (owner: pg.Client) => Promise<Result>): Promise<Result> {
    const owner = new pg.Client({ connectionString: this.#postgresUrl });
    owner.on('error', () => undefined);
    await owner.connect();
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  }

  #env(service: ServiceWithSchema, namespace: string): Record<string, string> {
    return {
      NODE_ENV: 'test',
      SERVICE_PORT: '0',
      // Many files share one machine: tests of other things must not fail because of waiting.
      DATABASE_ACQUIRE_TIMEOUT_MS: '60000',
      LOG_LEVEL: 'trace',
      NATS_URL: this.natsUrl,
      NATS_NAMESPACE: namespace,
      DATABASE_URL: this.databaseUrl(service),
      DATABASE_READER_URL: this.databaseUrl('reader'),
      IDENTITY_VERIFY_KEY: this.#identity.verifyKey,
      SECRETS_KEYS: this.secretsKeys,
      // Every bucket reserves its space on the shared server.
      OBJECT_STORE_MAX_MEGABYTES: '64',
    };
  }
}

async function isReady({ url }: Pick<RunningService, 'url'>): Promise<void> {
  await eventually(`${url} is ready`, () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}
