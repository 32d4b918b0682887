import type { Duplex } from 'node:stream';
import { Client } from 'undici';

/** One connection at a time, which is opened when it is needed; one request at a time goes over it. */
export class PooledConnection {
  readonly client: Client;
  #socket: Duplex | undefined;

  constructor(origin: string, connect: () => Promise<Duplex>) {
    this.client = new Client(origin, {
      allowH2: false,
      // Deadlines are the caller's.
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
  /** Whether the one that was free longest is next, so that all have work. */
  isInTurn: boolean;
  connect: () => Promise<Duplex>;
}

/** Connections to a service. A caller that finds none free waits for one. */
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

  /** To be called once for each connection that was acquired. */
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

  /**
   * A connection that is used without an end takes no place from others; it is released as any other, and not used
   * again.
   */
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
