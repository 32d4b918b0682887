import type { Router, ServiceName } from '@botyard/contracts/http/contract';
import type { Express } from 'express';
import type { CallerDirectory } from '../auth/caller.ts';
import { createIdentityVerifier } from '../auth/identity.ts';
import { createRemoteCallers } from '../auth/remote-callers.ts';
import { Bus } from '../bus/bus.ts';
import { BusWatch } from '../bus/bus-watch.ts';
import type { Subscription } from '../bus/consumer.ts';
import { countDeadLetters } from '../bus/dead-letters.ts';
import { answerConsumerRequests } from '../bus/durable.ts';
import { Outbox } from '../bus/outbox.ts';
import { Consumer } from '../bus/stream-consumer.ts';
import type { DomainConfig } from '../config/config.ts';
import { createDatabase, type Database, withPlatform } from '../db/database.ts';
import { moment } from '../db/expressions.ts';
import { poolFigures } from '../db/pool-figures.ts';
import { columns, typedSql } from '../db/typed-sql.ts';
import type { AdmissionOptions } from '../http/admission.ts';
import { type Finders, type Handlers, mountRouter } from '../http/mount.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { answerSystem } from '../system/answering.ts';
import { DueWatch } from '../work/due-watch.ts';
import type { Worker } from '../work/worker.ts';
import { ClockWatch, type OtherClock } from './clock-watch.ts';
import { watchDatabase } from './database-watch.ts';
import { busCheck, createReadiness, databaseCheck } from './readiness.ts';
import type { App, RuntimeContext } from './run-service.ts';

/** Dependencies of every service with a database and events; a service's own `deps` extend it. */
export interface Foundation extends RuntimeContext {
  bus: Bus;
  database: Database;
  outbox: Outbox;
  /** Wakes loops over database rows when work is due. */
  due: DueWatch;
}

export function createFoundation(
  service: ServiceName,
  config: DomainConfig,
  runtime: RuntimeContext,
): Foundation {
  const { log, instance, stalls } = runtime;
  const bus = new Bus({
    service,
    url: config.NATS_URL,
    replicas: config.NATS_REPLICAS,
    namespace: config.NATS_NAMESPACE,
    user: config.NATS_USER,
    password: config.NATS_PASSWORD,
    caFile: config.NATS_CA_FILE,
    log,
    stalls,
  });
  const database = createDatabase({
    url: config.DATABASE_URL,
    applicationName: `botyard-${service}`,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
    acquireTimeoutMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
    log,
  });
  const outbox = new Outbox({ bus, database, schema: service });
  const due = new DueWatch({ database, schema: service, log });
  outbox.watchedBy(due);
  instance.usesBus(bus);
  instance.watchesPool(() => poolFigures('main', database));
  instance.watchesQueue('outbox', () => outbox.countWaiting());
  instance.watchesQueue('dead_letters', () => countDeadLetters(database, service));
  return { ...runtime, bus, database, outbox, due };
}

/** A contract with its handlers, created by `serves`, which checks that they match. */
export interface Served<Deps> {
  router: Router;
  mount(app: Express, options: AdmissionOptions & { deps: Deps }): void;
}

export function serves<R extends Router, Deps>(
  router: R,
  handlers: Handlers<R, Deps>,
  finders?: Finders<R, Deps>,
): Served<Deps> {
  return { router, mount: (app, options) => mountRouter(app, router, handlers, { ...options, finders }) };
}

/** The same with dependencies of its own, for a part of a service that has more than the service itself. */
export const servesWith = <R extends Router, Deps>(
  deps: Deps,
  router: R,
  handlers: Handlers<R, Deps>,
): Served<unknown> => ({
  router,
  mount: (app, options) => mountRouter(app, router, handlers, { ...options, deps }),
});

export interface AppParts<Deps extends Foundation> {
  config: DomainConfig;
  deps: Deps;
  routes: readonly Served<Deps>[];
  subscriptions: readonly Subscription<Deps>[];
  /** Called at the first connection to the bus: answers to requests, watchers, listeners. */
  onBus?: (deps: Deps) => void;
  workers?: readonly Worker[];
  /** The source of callers; by default the tenancy service is asked. */
  callers?: CallerDirectory;
  /** Adds routes that aren't part of a contract, such as webhooks. */
  mountMore?: (app: Express) => void;
  checkPeers?: () => Promise<void>;
}

/** Wires the parts that all services with a database share into one app. */
export async function createDomainApp<Deps extends Foundation>(parts: AppParts<Deps>): Promise<App> {
  const { deps, config } = parts;
  const { bus, database, outbox, due, log } = deps;
  const verifyIdentity = await createIdentityVerifier(config.IDENTITY_VERIFY_KEY, bus.service, log);
  const callers = parts.callers ?? createRemoteCallers(bus);
  const consumers = consumersOf(parts);
  const readiness = createReadiness({ database: databaseCheck(database), bus: busCheck(bus) });
  const clocks = new ClockWatch({ others: [clockOf(database)], ...deps });
  const databaseWatch = watchDatabase(deps);
  const busWatch = new BusWatch({ bus, onStreamMissing: () => void outbox.checkStream() });
  const opened = Promise.withResolvers<void>();
  const connect = async () => {
    if (!(await bus.connect())) return;
    answerSystem(deps);
    answerConsumerRequests(bus);
    parts.onBus?.(deps);
    busWatch.start();
    for (const consumer of consumers) consumer.start();
    opened.resolve();
  };
  return {
    readiness,
    bus,
    opened: opened.promise,
    checkPeers: async () => await parts.checkPeers?.(),
    mount: (internal) => {
      parts.mountMore?.(internal);
      const admission = { verifyIdentity, callers, log };
      for (const served of parts.routes) served.mount(internal, { ...admission, deps });
      refuseOtherMethods(
        internal,
        parts.routes.map(({ router }) => router),
        admission,
      );
    },
    start: async () => {
      outbox.start();
      clocks.start();
      databaseWatch.start();
      due.start();
      for (const worker of parts.workers ?? []) worker.start();
      connect().catch((error: unknown) => log.error({ err: error }, 'the bus could not be set up'));
    },
    stop: async () => {
      clocks.stop();
      await Promise.all([databaseWatch.stop(), busWatch.stop(), due.stop()]);
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await Promise.all((parts.workers ?? []).map((worker) => worker.stop()));
      await outbox.stop();
      await bus.close();
      await database.close();
    },
  };
}

const clockText = typedSql`select ${columns({ now: moment('clock_timestamp()') })}`;

const clockOf = (database: Database): OtherClock => ({
  name: 'Postgres',
  read: async () => {
    const [row] = await withPlatform(database, 'compare clocks', (tx) =>
      tx.query({ name: 'clock', text: clockText, values: [] }),
    );
    return row?.now.getTime();
  },
});

function consumersOf<Deps extends Foundation>({ deps, subscriptions }: AppParts<Deps>): Consumer<Deps>[] {
  const { bus, database } = deps;
  const owners = [...new Set(subscriptions.map(({ event }) => event.owner))];
  return owners.map(
    (owner) =>
      new Consumer({
        bus,
        database,
        schema: bus.service,
        owner,
        subscriptions: subscriptions.filter(({ event }) => event.owner === owner),
        deps,
      }),
  );
}
