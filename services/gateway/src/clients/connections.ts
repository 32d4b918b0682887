import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Drain } from '@botyard/shared/system/questions';
import { ConnectionPool } from './connection-pool.ts';

interface ConnectionsOptions {
  /** One address, which may stand for many processes, or one per process. */
  urls: readonly string[];
  maxConnections: number;
  connectTimeoutMs: number;
  /** Whether the service has announced that it will be back soon: then requests wait for it. */
  isExpectedBack: () => boolean;
}

interface Address {
  host: string;
  port: number;
  isTls: boolean;
  /** The process at this address that is about to end; `until` covers the case that its end isn't reported. */
  leaving: { instanceId: string; until: number } | undefined;
}

interface Link {
  address: Address;
  /** The process that it leads to, known after its first answer. */
  instanceId: string | undefined;
}

const leavingForMs = 20_000;
const retryAfterMs = 25;
const maxFree = 256;

/**
 * Connections to the processes of one service. If a connection can't be opened, the next address is tried. While the
 * service's only process is being replaced, the request waits. Nothing has been sent by then, so that is safe for every
 * request.
 */
export class Connections {
  readonly pool: ConnectionPool;
  /** For requests with streamed bodies: slow senders occupy connections, but none of the others'. */
  readonly streamedPool: ConnectionPool;
  readonly #options: ConnectionsOptions;
  readonly #addresses: readonly Address[];
  readonly #links = new Map<Duplex, Link>();
  #turn = 0;
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#addresses = options.urls.map(addressOf);
    const { maxConnections: most, urls } = options;
    const connect = () => this.#connect();
    // With several processes, connections are used in turn, so that all get requests.
    const isInTurn = urls.length > 1;
    const pool = { origin: urls[0] ?? '', most, maxFree, isInTurn, connect };
    this.pool = new ConnectionPool(pool);
    this.streamedPool = new ConnectionPool(pool);
  }

  /** Records which process answers on a connection. */
  noteAnswer(socket: Duplex, instanceId: string): void {
    const link = this.#links.get(socket);
    if (link) link.instanceId = instanceId;
  }

  /**
   * Stops using a process that ends: its idle connections are closed from this side, which can't race with its own
   * close.
   */
  noteDrain({ instanceId, state }: Pick<Drain, 'instanceId' | 'state'>): void {
    if (state === 'gone') {
      for (const address of this.#addresses)
        if (address.leaving?.instanceId === instanceId) address.leaving = undefined;
      return;
    }
    for (const address of this.#addresses) {
      const behind = new Set(
        [...this.#links.values()].filter((link) => link.address === address).map((link) => link.instanceId),
      );
      if (!behind.has(instanceId)) continue;
      const isAlone = [...behind].every((id) => id === instanceId || id === undefined);
      if (isAlone) address.leaving = { instanceId, until: performance.now() + leavingForMs };
    }
    for (const socket of [...this.pool.freeSockets(), ...this.streamedPool.freeSockets()])
      if (this.#links.get(socket)?.instanceId === instanceId) socket.destroy();
  }

  close(): void {
    this.#isClosed = true;
    this.pool.close();
    this.streamedPool.close();
  }

  async #connect(): Promise<Socket> {
    for (;;) {
      let failure: unknown = new Error('no process of the service accepts connections');
      for (const address of this.#inTurn()) {
        try {
          return await this.#open(address);
        } catch (error) {
          failure = error;
        }
      }
      if (this.#isClosed || !this.#options.isExpectedBack()) throw failure;
      await pause(retryAfterMs);
    }
  }

  /** An ending process is used only if no other one is running or expected. */
  #inTurn(): Address[] {
    const now = performance.now();
    this.#turn = (this.#turn + 1) % this.#addresses.length;
    const all = [...this.#addresses.slice(this.#turn), ...this.#addresses.slice(0, this.#turn)];
    const staying = all.filter(({ leaving }) => !leaving || leaving.until < now);
    return staying.length > 0 || this.#options.isExpectedBack() ? staying : all;
  }

  #open(address: Address): Promise<Socket> {
    const { host, port, isTls } = address;
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000 };
    const socket = isTls ? connectTls({ ...options, servername: host }) : connectTcp(options);
    const late = setTimeout(
      () => socket.destroy(new Error('no connection in time')),
      this.#options.connectTimeoutMs,
    );
    socket.once('error', reject);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      socket.off('error', reject);
      this.#links.set(socket, { address, instanceId: undefined });
      resolve(socket);
    });
    socket.once('close', () => {
      clearTimeout(late);
      this.#links.delete(socket);
      reject(new Error('the connection was closed'));
    });
    return promise;
  }
}

function addressOf(url: string): Address {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    isTls,
    leaving: undefined,
  };
}
