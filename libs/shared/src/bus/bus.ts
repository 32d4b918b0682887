import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type MsgHdrs, type NatsConnection, type Stats } from '@nats-io/transport-node';
import { certificateFault, natsSettings } from '../config/certificate-fault.ts';
import { unavailable } from '../http/errors.ts';
import type { Log } from '../log/log.ts';
import { StallMonitor } from '../service/stalls.ts';
import { ExpectedRestarts } from '../system/expected-restarts.ts';
import type { Drain } from '../system/questions.ts';
import { type Context, contextFrom, currentContext } from '../tracing/context.ts';
import { within } from '../work/within.ts';
import { addressOptions, type BusAddress, busRemedy, tryToConnect } from './connecting.ts';
import { createNames, type Names } from './names.ts';

interface BusOptions extends BusAddress {
  service: ServiceName;
  /** Number of replicas of the service's own stream. Defaults to 1. */
  replicas?: number | undefined;
  namespace: string;
  log: Log;
  /** Receives the failures of loops that retry. If unset, they are only logged. */
  stalls?: StallMonitor;
  /** Time limit of a publish or another call to JetStream. Defaults to 2000. */
  callTimeoutMs?: number;
}

const lookForServerEveryMs = 1000;
/** No caller waits longer than this for an answer. */
const finishWithinMs = 2000;

export interface Live {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
}

export interface KeptSubscription {
  /** Unsubscribes. Resolves when every message that was received has been handed over. */
  drain(): Promise<void>;
}

/**
 * One process's connection to NATS. It connects in the background and reconnects forever, so that a process can
 * start and keep running without NATS (REQ-REL-7 and REQ-REL-21).
 */
export class Bus {
  readonly service: ServiceName;
  readonly names: Names;
  readonly log: Log;
  readonly stalls: StallMonitor;
  /** Services whose only process has ended and is expected back. */
  readonly expectedRestarts = new ExpectedRestarts();
  readonly #options: BusOptions;
  readonly #onConnect: (() => void)[] = [];
  readonly #onReconnect = new Set<() => void>();
  readonly #questions: KeptSubscription[] = [];
  readonly #answering = new Set<Promise<void>>();
  readonly #onDrain: ((drain: Drain) => void)[] = [];
  #live: Live | undefined;
  #isConnected = false;
  #isClosed = false;
  #isSearching = false;
  #reconnections = 0;

  constructor(options: BusOptions) {
    this.service = options.service;
    this.names = createNames(options.namespace);
    this.log = options.log;
    this.stalls = options.stalls ?? new StallMonitor(options);
    this.#options = options;
  }

  get replicas(): number {
    return this.#options.replicas ?? 1;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls `work` now if connected, and after every reconnection. */
  onConnect(work: () => void): void {
    this.#onConnect.push(work);
    if (this.#isConnected) work();
  }

  /** Calls `work` after every reconnection, until the returned function is called. */
  onReconnect(work: () => void): () => void {
    this.#onReconnect.add(work);
    return () => void this.#onReconnect.delete(work);
  }

  /** Called when another process announces that it is about to end or has ended. */
  onDrain(work: (drain: Drain) => void): void {
    this.#onDrain.push(work);
  }

  noteDrain(drain: Drain): void {
    if (drain.isReturning) this.expectedRestarts.expect(drain.service);
    for (const work of this.#onDrain) work(drain);
  }

  /** Messages and bytes of this connection, over all reconnections. */
  stats(): (Stats & { reconnections: number }) | undefined {
    const stats = this.#live?.connection.stats();
    return stats && { ...stats, reconnections: this.#reconnections };
  }

  /** The server's version; `undefined` before the first connection. */
  get serverVersion(): string | undefined {
    return this.#live?.connection.info?.version;
  }

  /** Moves the connection and all its subscriptions to another server. */
  async changeServer(): Promise<void> {
    const { connection } = this.live();
    const current = connection.getServer();
    const servers = connection.getServers().map(({ listen }) => listen);
    if (servers.every((server) => server === current)) return;
    this.log.warn({ server: current }, 'another nats-server is looked for');
    // The driver tries servers in the given order, after shuffling them.
    do connection.setServers(servers);
    while (connection.getServers()[0]?.listen === current);
    await connection.reconnect();
  }

  /** @throws HttpError 503 while there is no connection. */
  live(): Live {
    if (!this.#live || !this.#isConnected) throw unavailable('the message bus does not answer');
    return this.#live;
  }

  /**
   * Resolves with `true` at the first connection, however long that takes, or with `false` if the bus is closed
   * before.
   */
  async connect(): Promise<boolean> {
    const address = addressOptions(this.#options);
    void this.#sayWhyNot();
    const connection = await connect({
      ...address,
      name: `botyard-${this.service}`,
      inboxPrefix: this.names.inboxPrefix(this.service),
      maxReconnectAttempts: -1,
      waitOnFirstConnect: true,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      pingInterval: 2000,
      maxPingOut: 2,
      // Otherwise each publish and each request creates two errors with stacks in advance, in case it fails.
      noAsyncTraces: true,
    });
    if (this.#isClosed) {
      await connection.close();
      return false;
    }
    const { callTimeoutMs: timeout = 2000 } = this.#options;
    this.#live = {
      connection,
      jetstream: jetstream(connection, { timeout }),
      manager: await jetstreamManager(connection, { checkAPI: false, timeout }),
    };
    this.#watch(connection).catch((error: unknown) => this.log.error({ err: error }, 'the bus status ended'));
    this.#connected();
    return true;
  }

  /**
   * Registers a subscription that receives requests. `close` ends it first, so that received requests are still
   * answered.
   */
  hears(questions: KeptSubscription): void {
    this.#questions.push(questions);
  }

  /** Registers a pending answer, a promise that never rejects. */
  answers(work: Promise<void>): void {
    this.#answering.add(work);
    void work.finally(() => this.#answering.delete(work));
  }

  /** Answers every request that reached this process before it closes; other processes receive the later ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isConnected) await this.#finishAnswers();
    await this.#live?.connection.close();
    this.#isConnected = false;
  }

  async #finishAnswers(): Promise<void> {
    const finish = async () => {
      await Promise.all(this.#questions.map((questions) => questions.drain()));
      await Promise.all(this.#answering);
      await this.#live?.connection.flush();
    };
    await within(finishWithinMs, finish()).catch(() => undefined);
  }

  /** Logs the reason. The driver reconnects forever and doesn't report why it fails. */
  async #sayWhyNot(): Promise<void> {
    if (this.#isSearching) return;
    this.#isSearching = true;
    while (!this.#isConnected && !this.#isClosed) {
      const error = await tryToConnect(this.#options).catch((fault: Error) => fault);
      if (error && !this.#isConnected && !this.#isClosed) this.#showAway(error);
      await pause(lookForServerEveryMs, undefined, { ref: false });
    }
    this.#isSearching = false;
    this.stalls.recovered('bus');
  }

  #showAway(error: Error): void {
    const reason = certificateFault(error, natsSettings) ?? `NATS can't be reached: ${error.message}`;
    this.stalls.failed('bus', { reason, remedy: busRemedy(error), error });
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        this.#isConnected = false;
        this.log.warn('the message bus is not connected');
        void this.#sayWhyNot();
      }
      if (status.type === 'reconnect') {
        this.#reconnections += 1;
        this.#connected();
        for (const work of [...this.#onReconnect]) work();
      }
    }
  }

  #connected(): void {
    this.#isConnected = true;
    this.log.info('connected to the message bus');
    for (const work of this.#onConnect) work();
  }
}

/** Headers that carry the current trace over the bus. */
export function traceHeaders(traceparent = currentContext()?.traceparent): MsgHdrs {
  const carried = headers();
  if (traceparent) carried.set('traceparent', traceparent);
  return carried;
}

export function contextOf(carried: MsgHdrs | undefined): Context {
  return contextFrom({ traceparent: carried?.get('traceparent') });
}
