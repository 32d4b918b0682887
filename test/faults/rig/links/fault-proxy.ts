import { createServer, type Server, Socket } from 'node:net';
import { freePort } from '../../../../tools/embedded/free-port.ts';
import type { Random } from '../random.ts';
import { FaultyPipe, type LinkConditions, unimpaired } from './faulty-pipe.ts';

interface Connection {
  client: Socket;
  server: Socket;
  pipes: readonly [FaultyPipe, FaultyPipe];
}

const maxTries = 20;

/**
 * A proxy between two processes that injects network faults into their connections. A missing server shows as a
 * connection that is reset immediately, as behind a balancer.
 */
export class FaultProxy {
  readonly port: number;
  readonly #target: { host: string; port: number };
  readonly #random: Random;
  readonly #connections = new Set<Connection>();
  #conditions: LinkConditions = unimpaired;
  #server: Server | undefined;

  private constructor(port: number, target: { host: string; port: number }, random: Random) {
    this.port = port;
    this.#target = target;
    this.#random = random;
  }

  /** Before the server of this address; the chance in its delays comes from `random`. */
  static async before(address: string, random: Random): Promise<FaultProxy> {
    const { hostname, port } = new URL(address);
    for (let tries = 1; ; tries += 1) {
      const proxy = new FaultProxy(await freePort(), { host: hostname, port: Number(port) }, random);
      try {
        await proxy.#listen();
        return proxy;
      } catch (error) {
        // Somebody else may have taken the port in the meantime.
        if (tries >= maxTries) throw error;
      }
    }
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** The same address, by way of the proxy. */
  through(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  /** From now on, for the connections that there are, too. */
  change(conditions: Partial<LinkConditions>): void {
    this.#conditions = { ...unimpaired, ...conditions };
  }

  /** Ends every connection: with a reset, as when a process is killed, or with an end, as when one stops in order. */
  cut(how: 'reset' | 'end'): void {
    for (const { client, server } of this.#connections) {
      for (const socket of [client, server]) {
        if (how === 'reset') socket.resetAndDestroy();
        else socket.destroySoon();
      }
    }
  }

  /** Takes no new connection; those that there are stay. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Everything passes again. A connection that something was lost on is reset. */
  async heal(): Promise<void> {
    this.#conditions = unimpaired;
    for (const { client, server, pipes } of this.#connections) {
      if (!pipes.some(({ hasLost }) => hasLost)) continue;
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    if (!this.#server) await this.#listen();
  }

  close(): void {
    this.refuse();
    this.cut('reset');
  }

  async #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', 1024, resolve);
    });
  }

  #accept(client: Socket): void {
    const conditions = () => this.#conditions;
    // A connection attempt during a hole is not reported to anybody.
    const isHeard = !this.#conditions.isBlackhole;
    const server = new Socket({ allowHalfOpen: true });
    if (isHeard) server.connect(this.#target);
    const connection: Connection = {
      client,
      server,
      pipes: [
        new FaultyPipe({ from: client, to: server }, conditions, this.#random),
        new FaultyPipe({ from: server, to: client }, conditions, this.#random),
      ],
    };
    this.#connections.add(connection);
    if (!isHeard) connection.pipes[0].hasLost = true;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
      // A reset is passed on immediately, except in a hole: then the other side is left with half a connection.
      socket.on('error', () => {
        if (!this.#conditions.isBlackhole) other.resetAndDestroy();
        else for (const pipe of connection.pipes) pipe.hasLost = true;
      });
      socket.on('close', () => {
        if (client.destroyed && server.destroyed) this.#connections.delete(connection);
      });
    }
  }
}
