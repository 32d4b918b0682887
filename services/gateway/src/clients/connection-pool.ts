import type { Duplex } from 'node:stream';
import { type Release, Semaphore } from '@botyard/shared/work/semaphore';
import { Client } from 'undici';

/** One connection at a time, opened on demand, for one request at a time. */
export class PooledConnection {
  readonly client: Client;
  #socket: Duplex | undefined;

  constructor(origin: string, connect: () => Promise<Duplex>) {
    this.client = new Client(origin, {
      allowH2: false,
      // The caller sets the deadlines.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        connect().then(
          (socket) => {
            this.#socket = socket;
            done(null, socket as Parameters<typeof done>[1] & Duplex);
          },
          (error: Error) => done(error, null),
        );
      },
    });
  }

  get socket(): Duplex | undefined {
    return this.#socket;
  }
}

interface ConnectionPoolOptions {
  origin: string;
  most: number;
  maxFree: number;
  /** Whether the connection that was free longest is used next, so that all get requests. */
  isInTurn: boolean;
  connect: () => Promise<Duplex>;
}

/** The part of all connections that one caller may hold, so that no caller holds all of them. */
const shareOfOne = 0.9;

/** Connections to a service. If all are in use, callers wait in turn, whatever the number of requests that each has. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #slots: Semaphore;
  readonly #free: PooledConnection[] = [];
  /** How to give the slot of each connection in use back. */
  readonly #leave = new Map<PooledConnection, Release>();
  readonly #givenAway = new Set<PooledConnection>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.most, { maxOfOne: Math.ceil(options.most * shareOfOne) });
  }

  async acquire(caller: string): Promise<PooledConnection> {
    const { origin, isInTurn, connect } = this.#options;
    const leave = await this.#slots.acquire(caller);
    const free = isInTurn ? this.#free.shift() : this.#free.pop();
    const connection = free ?? new PooledConnection(origin, connect);
    this.#leave.set(connection, leave);
    return connection;
  }

  /** Has to be called once for each acquired connection. */
  release(connection: PooledConnection): void {
    const isReusable = !this.#givenAway.delete(connection) && this.#free.length < this.#options.maxFree;
    if (isReusable) this.#free.push(connection);
    else void connection.client.destroy();
    this.#leaveSlot(connection);
  }

  /** Excludes a connection of an endless stream from the limit. It is released like any other, and not reused. */
  giveAway(connection: PooledConnection): void {
    this.#givenAway.add(connection);
    this.#leaveSlot(connection);
  }

  #leaveSlot(connection: PooledConnection): void {
    this.#leave.get(connection)?.();
    this.#leave.delete(connection);
  }

  /** Idle connections. */
  freeSockets(): Duplex[] {
    return this.#free.flatMap(({ socket }) => socket ?? []);
  }

  close(): void {
    for (const connection of this.#free.splice(0)) void connection.client.destroy();
  }
}
