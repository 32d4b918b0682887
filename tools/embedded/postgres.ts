import { resolve } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import {
  type GuardedProcess,
  type Log,
  loopback,
  type Place,
  type RunningProcess,
  spawnGuarded,
} from './guarded-process.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { initializeOnce, ownerRole, placeOfData, postgresEnv, takeDownLeftover } from './postgres-data.ts';
import { defaultSharedPlace } from './shared-place.ts';
import { StartError } from './start-error.ts';
import { type Account, unprivilegedAccount } from './unprivileged-account.ts';
import { waitUntil } from './wait-until.ts';

const database = 'botyard';
const startMs = 60_000;
const orphanedBackendsMs = 15_000;

export interface PostgresOptions {
  dataDir: string;
  port?: number;
  password: string;
  /** Additional server settings. `fsync: 'off'` is for tests only. */
  settings?: Readonly<Record<string, string>>;
  /** The address to listen on. Outside loopback, `hba_file` must allow connections. */
  place?: Place;
  log: Log;
  sharedPlace?: string;
}

export interface RunningPostgres extends RunningProcess {
  /** The URL of the database `botyard` with the login of its owner, a superuser. */
  readonly url: string;
}

/**
 * Settings for a developer's machine. Every commit is durable. Statements are not logged, because they may contain
 * secrets. Unneeded features (parallel workers, replication, asynchronous I/O) are off to save memory.
 */
const standardSettings: Readonly<Record<string, string>> = {
  unix_socket_directories: '',
  shared_buffers: '48MB',
  max_connections: '120',
  jit: 'off',
  huge_pages: 'off',
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Starts a real Postgres on loopback, with its existing data if there are any. @throws StartError */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const wanted = resolve(options.dataDir);
  const sharedPlace = options.sharedPlace ?? defaultSharedPlace;
  const account = await unprivilegedAccount(wanted);
  const [binaries, dataDir] = await Promise.all([
    postgresBinaries(account, sharedPlace),
    placeOfData(wanted, { account, sharedPlace, log: options.log }),
  ]);
  await takeDownLeftover(dataDir, options.log);
  const place = options.place ?? loopback;
  const settings: Record<string, string> = {
    ...standardSettings,
    listen_addresses: place.host,
    ...options.settings,
  };
  const { password } = options;
  await initializeOnce(dataDir, {
    initdb: binaries.initdb,
    account,
    password,
    sync: settings.fsync !== 'off',
  });
  const port = options.port ?? (await freePort());
  const server = await startUntilFree({
    binaries,
    account,
    dataDir,
    place,
    port,
    settings,
    password,
    log: options.log,
  });
  return {
    url: ownerUrl({ host: place.host, port, password }, database),
    pid: server.pid,
    exited: server.exited,
    // A fast, then an immediate shutdown. After the latter, the next start recovers all committed data.
    stop: () =>
      server.end([
        { signal: 'SIGINT', waitMs: 8000 },
        { signal: 'SIGQUIT', waitMs: 3000 },
        { signal: 'SIGKILL', waitMs: 1000 },
      ]),
    kill: () => server.signal('SIGQUIT'),
  };
}

interface Launch {
  binaries: PostgresBinaries;
  account: Account | undefined;
  dataDir: string;
  place: Place;
  port: number;
  settings: Readonly<Record<string, string>>;
  password: string;
  log: Log;
}

interface Login {
  host: string;
  port: number;
  password: string;
}

/** Backends briefly outlive a killed postmaster, and a new one can't start until they have ended. */
async function startUntilFree(launch: Launch): Promise<GuardedProcess> {
  const deadline = performance.now() + orphanedBackendsMs;
  for (;;) {
    const last: string[] = [];
    const server = spawnPostgres(launch, last);
    const state = await untilReady(server, launch);
    if (state === 'ready') return server;
    await server.end([{ signal: 'SIGQUIT', waitMs: 5000 }]);
    const hasOldBackends = last.some((line) => line.includes('pre-existing shared memory block'));
    if (hasOldBackends && performance.now() < deadline) continue;
    const said = last.findLast((line) => /FATAL|PANIC/.test(line)) ?? last.at(-1);
    throw new StartError(
      `Postgres doesn't start (${launch.dataDir}): ${said?.replace(/^.*?(FATAL|PANIC)/, '$1') ?? state}`,
    );
  }
}

function spawnPostgres(
  { binaries, account, dataDir, place, port, settings, log }: Launch,
  last: string[],
): GuardedProcess {
  const args = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  return spawnGuarded({
    file: binaries.postgres,
    args: ['-D', dataDir, ...args],
    env: postgresEnv(),
    cwd: '/',
    account,
    network: place.network,
    orphanSignal: 'INT',
    onLine: (line) => {
      last.push(line);
      if (last.length > 20) last.shift();
      log(line);
    },
  });
}

async function untilReady(
  server: GuardedProcess,
  { place: { host }, port, password, dataDir }: Launch,
): Promise<string> {
  let ended: string | undefined;
  void server.exited.then((code) => {
    ended = `it ended with code ${code}`;
  });
  const ask = async () => {
    if (ended) return ended;
    const state = await openDatabase({ host, port, password });
    if (state === 'refused')
      throw new StartError(
        `the owner's password doesn't match the data in ${dataDir}: restore the old secrets.json, or move the data away`,
      );
    return state;
  };
  try {
    return (await waitUntil(ask, { timeoutMs: startMs })) ?? `it was not ready within ${startMs / 1000} s`;
  } catch (error) {
    await server.end([{ signal: 'SIGQUIT', waitMs: 5000 }]);
    throw error;
  }
}

/** Connects as the owner and creates the database if necessary. Returns `undefined` until the server is up. */
async function openDatabase(login: Login): Promise<'ready' | 'refused' | undefined> {
  const client = new pg.Client({
    connectionString: ownerUrl(login, 'postgres'),
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
    return 'ready';
  } catch (error) {
    return (error as { code?: string }).code === '28P01' ? 'refused' : undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

function ownerUrl({ host, port, password }: Login, name: string): string {
  return `postgres://${ownerRole}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
}
