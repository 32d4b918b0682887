import { randomBytes } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import {
  type NatsOptions,
  type NatsUser,
  type RunningNats,
  startNatsServer,
  writeNatsConfig,
} from '../../../tools/embedded/nats-server.ts';

type OwnNatsOptions = NatsOptions & { port: number; monitorPort: number };

/** A test's own nats-server, which may be stopped, killed, and lose its data. */
export class OwnNats {
  readonly #options: OwnNatsOptions;
  #running: RunningNats;

  private constructor(options: OwnNatsOptions, running: RunningNats) {
    this.#options = options;
    this.#running = running;
  }

  static async start(
    users: readonly NatsUser[] = [],
    { userWithoutLogin }: { userWithoutLogin?: string } = {},
  ): Promise<OwnNats> {
    const [port = 0, monitorPort = 0] = await freePorts(2);
    const options = {
      storeDir: join(inject('serversDir'), `nats-${randomBytes(6).toString('hex')}`),
      port,
      monitorPort,
      users,
      ...(userWithoutLogin ? { userWithoutLogin } : {}),
      log: () => undefined,
    };
    return new OwnNats(options, await startNatsServer(options));
  }

  get url(): string {
    return this.#running.url;
  }

  /** As an operator who edits the configuration and has the server read it again. */
  async changeUsers(users: readonly NatsUser[]): Promise<void> {
    await writeNatsConfig({ ...this.#options, users });
    this.#running.signal('SIGHUP');
  }

  async kill(): Promise<void> {
    this.#running.kill();
    await this.#running.exited;
  }

  /** While it is down: streams, consumers and everything in them are gone. */
  async deleteStore(): Promise<void> {
    await rm(this.#options.storeDir, { recursive: true, force: true });
  }

  /** Copies the files on its disk at this moment, like a snapshot of the disk. */
  async copyStore(): Promise<void> {
    await rm(this.#copyDir, { recursive: true, force: true });
    await cp(this.#options.storeDir, this.#copyDir, { recursive: true });
  }

  /** Call it while the server is down: resets the disk to the copied state. */
  async restoreStore(): Promise<void> {
    await this.deleteStore();
    await cp(this.#copyDir, this.#options.storeDir, { recursive: true });
  }

  get #copyDir(): string {
    return `${this.#options.storeDir}-copy`;
  }

  async startAgain(): Promise<void> {
    this.#running = await startNatsServer(this.#options);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }
}
