import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePort } from '../../../tools/embedded/free-port.ts';
import type { Place } from '../../../tools/embedded/guarded-process.ts';
import {
  type PostgresOptions,
  type RunningPostgres,
  startPostgres,
} from '../../../tools/embedded/postgres.ts';
import { makeTemplateDatabase } from '../../setup/template-database.ts';

/** A test's own Postgres, which may be killed. As in an installation, commits wait for the disk. */
export class OwnPostgres {
  readonly #options: PostgresOptions;
  #running: RunningPostgres;

  private constructor(options: PostgresOptions, running: RunningPostgres) {
    this.#options = options;
    this.#running = running;
  }

  static async start(settings: Readonly<Record<string, string>> = {}, place?: Place): Promise<OwnPostgres> {
    const dataDir = join(inject('serversDir'), `postgres-${randomBytes(6).toString('hex')}`);
    const options = {
      dataDir,
      password: randomBytes(24).toString('base64url'),
      port: await freePort(),
      settings: place ? { ...settings, hba_file: await lettingAllIn(dataDir) } : settings,
      ...(place ? { place } : {}),
      log: () => undefined,
    };
    const running = await startPostgres(options);
    try {
      await makeTemplateDatabase(running.url);
    } catch (error) {
      await running.stop();
      throw error;
    }
    return new OwnPostgres(options, running);
  }

  get url(): string {
    return this.#running.url;
  }

  /** As the system kills for want of memory: nobody gets to say anything. */
  async kill(): Promise<void> {
    process.kill(this.#running.pid, 'SIGKILL');
    await this.#running.exited;
  }

  /** Restarts on the same data and port. Resolves when it has recovered. */
  async startAgain(): Promise<void> {
    this.#running = await startPostgres(this.#options);
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    await rm(this.#options.dataDir, { recursive: true, force: true });
  }
}

/** Wherever they come from, with their passwords. */
async function lettingAllIn(dataDir: string): Promise<string> {
  const file = `${dataDir}-hba.conf`;
  await writeFile(file, 'host all all all scram-sha-256\n', { mode: 0o644 });
  return file;
}
