import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startNatsServer } from '../../tools/embedded/nats-server.ts';
import { startPostgres } from '../../tools/embedded/postgres.ts';
import { makeTemplateDatabase } from './template-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * Address of the database `botyard` as its owner. Tests make databases of their own from the template
     * `botyard_template`.
     */
    postgresUrl: string;
    natsUrl: string;
    /** Folder of both servers' files, in `postgres/` and `nats/`. */
    serversDir: string;
  }
}

const ignore = () => {};

const memoryDisk = '/dev/shm';
/** Several times the data of the servers of a whole run. */
const roomBytes = 4 * 1024 ** 3;

/**
 * The disk of memory, where there is one with room, and else the folder for temporary files. Every test file makes a
 * database of hundreds of files and drops it: a file system on a disk takes longer for that than Postgres does.
 */
async function placeOfServers(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(memoryDisk);
    return bavail * bsize >= roomBytes ? memoryDisk : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Thousands of connections are opened: their passwords are hashed once each, not 4096 times. */
async function cheapenLogins(postgresUrl: string): Promise<void> {
  const { username, password } = new URL(postgresUrl);
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    const literal = client.escapeLiteral(decodeURIComponent(password));
    await client.query(`alter role ${client.escapeIdentifier(username)} password ${literal}`);
  } finally {
    await client.end();
  }
}

/** One real Postgres and one real nats-server for all test files, gone afterwards. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(await placeOfServers(), 'botyard-test-'));
  // Under root Postgres runs as another user, who must be able to enter.
  await chmod(directory, 0o711);
  const [postgres, nats] = await Promise.all([
    startPostgres({
      dataDir: join(directory, 'postgres'),
      password: randomBytes(24).toString('base64url'),
      settings: {
        scram_iterations: '1',
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        // No database lives long enough to need it, and its workers would visit each of them.
        autovacuum: 'off',
        max_connections: '600',
      },
      log: ignore,
    }),
    startNatsServer({ storeDir: join(directory, 'nats'), users: [], log: ignore }),
  ]);
  const stop = async () => {
    await Promise.all([postgres.stop(), nats.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await cheapenLogins(postgres.url);
    await makeTemplateDatabase(postgres.url);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('postgresUrl', postgres.url);
  project.provide('natsUrl', nats.url);
  project.provide('serversDir', directory);
  return stop;
}
