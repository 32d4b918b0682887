import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { type NatsOptions, type RunningNats, startNatsServer } from '../../../tools/embedded/nats-server.ts';

/** A nats-server of a test's own, which may be stopped, killed, and lose what it has stored. */
export class OwnNats {
  readonly #options: NatsOptions;
  #running: RunningNats;

  private constructor(options: NatsOptions, running: RunningNats) {
    this.#options = options;
    this.#running = running;
  }

  static async start(): Promise<OwnNats> {
    const [port = 0, monitorPort = 0] = await freePorts(2);
    const options = {
      storeDir: join(inject('serversDir'), `nats-${randomBytes(6).toString('hex')}`),
      port,
      monitorPort,
      users: [],
      log: () => undefined,
    };
    return new OwnNats(options, await startNatsServer(options));
  }

  get url(): string {
    return this.#running.url;
  }

  async kill(): Promise<void> {
    this.#running.kill();
    await this.#running.exited;
  }

  /** While it is down: streams, consumers and everything in them are gone. */
  async deleteStore(): Promise<void> {
    await rm(this.#options.storeDir, { recursive: true, force: true });
  }

  async startAgain(): Promise<void> {
    this.#running = await startNatsServer(this.#options);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }
}
