import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, type Database, type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import type { Worker } from '@botyard/shared/work/worker';
import { deleteProcess, saveBeat } from '../store/sender-processes.ts';

const everyMs = 1000;
const againAfterMs = 250;
/**
 * After an outage all processes log in together, which takes longer than usual; a retry would start from the beginning.
 */
const timeouts = { acquireTimeoutMs: 3000, statementTimeoutMs: 1000, lockTimeoutMs: 500 };

/**
 * Records every second that this process is alive, over a connection of its own, so that a busy database doesn't make
 * other processes claim what this one is sending.
 */
export class Heartbeat implements Worker {
  readonly processId = randomUUID();
  readonly #database: Database;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #beating: Promise<void> | undefined;

  constructor({ url, log }: { url: string; log: Log }) {
    this.#log = log;
    this.#database = createDatabase({
      url,
      applicationName: 'botyard-webhooks-heartbeat',
      maxConnections: 1,
      ...timeouts,
      log,
    });
  }

  start(): void {
    this.#beating = this.#beat();
  }

  /** Called when this process no longer holds anything, so that others need not wait until it counts as dead. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#beating;
    await this.#write(deleteProcess).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'could not record the end of a sender'),
    );
    await this.#database.close();
  }

  async #beat(): Promise<void> {
    const { signal } = this.#stopping;
    for (let isMissed = false; !signal.aborted; ) {
      const begunAt = performance.now();
      try {
        await this.#write(saveBeat);
        isMissed = false;
      } catch (error) {
        if (!isMissed) this.#log.warn({ err: error }, 'could not record that this process is alive');
        isMissed = true;
      }
      const waitMs = isMissed ? againAfterMs : everyMs - (performance.now() - begunAt);
      await pause(Math.max(0, waitMs), undefined, { signal }).catch(() => undefined);
    }
  }

  #write(statement: (tx: PlatformTx, processId: string) => Promise<void>): Promise<void> {
    const options = { isDurable: false, isOneRoundTrip: true };
    return withPlatform(this.#database, 'sender process', (tx) => statement(tx, this.processId), options);
  }
}
