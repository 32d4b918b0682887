import type { Duplex } from 'node:stream';
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

/** Connections to a service. A caller waits if none is free. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #free: PooledConnection[] = [];
  readonly #givenAway = new Set<PooledConnection>();
  readonly #waiting: ((connection: PooledConnection) => void)[] = [];
  #count = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  acquire(): PooledConnection | Promise<PooledConnection> {
    const { origin, most, isInTurn, connect } = this.#options;
    const free = isInTurn ? this.#free.shift() : this.#free.pop();
    if (free) return free;
    if (this.#count >= most) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#count += 1;
    return new PooledConnection(origin, connect);
  }

  /** Has to be called once for each acquired connection. */
  release(connection: PooledConnection): void {
    if (this.#givenAway.delete(connection)) {
      void connection.client.destroy();
      return;
    }
    const next = this.#waiting.shift();
    if (next) next(connection);
    else if (this.#free.length < this.#options.maxFree) this.#free.push(connection);
    else this.#end(connection);
  }

  /** Excludes a connection of an endless stream from the limit. It is released like any other, and not reused. */
  giveAway(connection: PooledConnection): void {
    const { origin, connect } = this.#options;
    this.#givenAway.add(connection);
    const next = this.#waiting.shift();
    if (next) next(new PooledConnection(origin, connect));
    else this.#count -= 1;
  }

  /** Idle connections. */
  freeSockets(): Duplex[] {
    return this.#free.flatMap(({ socket }) => socket ?? []);
  }

  close(): void {
    for (const connection of this.#free.splice(0)) this.#end(connection);
  }

  #end(connection: PooledConnection): void {
    this.#count -= 1;
    void connection.client.destroy();
  }
}
