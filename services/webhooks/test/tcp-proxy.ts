import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A server that a test can take away: `cut` ends and refuses connections, `freeze` keeps them and answers nothing. */
export class TcpProxy {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #isFrozen = false;
  #losing: { asked: string; answered: string } | undefined;
  port = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  /** Stands before the server of this address. */
  static async before(address: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(address);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await proxy.open();
    return proxy;
  }

  /** The same address, by way of the proxy. */
  through(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  async open(): Promise<void> {
    this.#isFrozen = false;
    if (this.#server) return;
    const server = createServer((client) => this.#accept(client));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /**
   * Ends the next connection with this request when the server sends this answer: the client can't know the outcome.
   */
  loseNext(losing: { asked: string; answered: string }): void {
    this.#losing = losing;
  }

  /** Whether that has happened. */
  get hasLost(): boolean {
    return this.#losing === undefined;
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  #accept(client: Socket): void {
    const upstream = connect(this.#target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    if (this.#isFrozen) return;
    let isLosing = false;
    client.on('data', (chunk) => {
      isLosing ||= this.#losing !== undefined && chunk.includes(this.#losing.asked);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isLosing || !chunk.includes(this.#losing?.answered ?? '')) return void client.write(chunk);
      this.#losing = undefined;
      client.destroy();
    });
  }
}
