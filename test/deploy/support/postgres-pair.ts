import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../../tools/embedded/postgres.ts';
import { makeTemplateDatabase } from '../../setup/template-database.ts';

const run = promisify(execFile);
const streaming = { wal_level: 'replica', max_wal_senders: '4', max_connections: '250' };

/** A primary, and a replica that each of its commits waits for. */
export class PostgresPair {
  readonly #password = randomBytes(24).toString('base64url');
  readonly #folders: { first: string; second: string };
  readonly ports: { first: number; second: number };
  #first!: RunningPostgres;
  #second!: RunningPostgres;

  private constructor(ports: { first: number; second: number }) {
    const folder = join(inject('serversDir'), `pair-${randomBytes(6).toString('hex')}`);
    this.#folders = { first: `${folder}-first`, second: `${folder}-second` };
    this.ports = ports;
  }

  static async start(): Promise<PostgresPair> {
    const [first = 0, second = 0] = await freePorts(2);
    const pair = new PostgresPair({ first, second });
    const alone = await pair.#start('first');
    await makeTemplateDatabase(alone.url);
    await alone.stop();
    // The files of a server that was stopped cleanly are a base backup.
    await run('cp', ['--archive', pair.#folders.first, pair.#folders.second]);
    await writeFile(join(pair.#folders.second, 'standby.signal'), '');
    await pair.startFirst();
    pair.#second = await pair.#start('second', {
      primary_conninfo: `${pair.#first.url}?application_name=second`,
    });
    return pair;
  }

  /** As the owner, by way of another port. */
  urlBy(port: number): string {
    return Object.assign(new URL(this.#first.url), { port: String(port) }).href;
  }

  /** The first one, with its data, as the primary that it was. */
  async startFirst(): Promise<void> {
    this.#first = await this.#start('first', { synchronous_standby_names: 'second' });
  }

  /** As a machine that is lost. */
  async killFirst(): Promise<void> {
    process.kill(this.#first.pid, 'SIGKILL');
    await this.#first.exited;
  }

  async ask<Row extends pg.QueryResultRow>(server: 'first' | 'second', text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.urlBy(this.ports[server]) });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#first?.stop(), this.#second?.stop()]);
    for (const folder of Object.values(this.#folders)) await rm(folder, { recursive: true, force: true });
  }

  #start(server: 'first' | 'second', settings: Record<string, string> = {}): Promise<RunningPostgres> {
    return startPostgres({
      dataDir: this.#folders[server],
      port: this.ports[server],
      password: this.#password,
      settings: { ...streaming, ...settings },
      log: () => undefined,
    });
  }
}
