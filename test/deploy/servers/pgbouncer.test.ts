import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database, withPlatform } from '@botyard/shared/db/database';
import { createLog } from '@botyard/shared/log/log';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asOnlyInstance } from '../../../services/tenancy/src/store/only-instance.ts';
import { startNatsServer } from '../../../tools/embedded/nats-server.ts';
import { startPostgres } from '../../../tools/embedded/postgres.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { ProcessInstallation } from '../support/processes.ts';
import { SandboxChats } from '../support/sandbox-chats.ts';

const usualIgnored =
  'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout';
const log = createLog('test', 'silent');
const ends: (() => Promise<unknown>)[] = [];
let directory: string;
let postgresUrl: string;
let installation: ProcessInstallation;
let pooler: PgBouncer;
let forgetful: PgBouncer;
let bySession: PgBouncer;

const pooled = (url: string) => `${pooler.through(url)}?pgbouncer=true`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-pgbouncer-'));
  await chmod(directory, 0o755);
  const settingsDir = join(directory, 'settings');
  await mkdir(settingsDir);
  const silent = { log: () => undefined };
  const dataDir = join(directory, 'postgres');
  const postgres = await startPostgres({ dataDir, password: 'owner', settings: { fsync: 'off' }, ...silent });
  const nats = await startNatsServer({ storeDir: join(directory, 'nats'), users: [], ...silent });
  ends.push(
    () => postgres.stop(),
    () => nats.stop(),
  );
  postgresUrl = postgres.url;
  const servers = { DATABASE_URL: postgresUrl, NATS_URL: nats.url };
  installation = await ProcessInstallation.prepare(settingsDir, servers);
  await installation.deploy('settings');
  await installation.deploy('migrate');
  const secrets = JSON.parse(await readFile(join(settingsDir, 'secrets.json'), 'utf8'));
  const own = Object.entries<string>(secrets.postgres).map(([name, word]) => [`botyard_${name}`, word]);
  const owner = new URL(postgresUrl);
  const users = { ...Object.fromEntries(own), [owner.username]: 'owner' };
  const common = { postgresUrl, users };
  const folder = (name: string) => join(directory, name);
  pooler = await startPgBouncer({ ...common, folder: folder('usual'), mode: 'transaction' });
  const more = [usualIgnored];
  forgetful = await startPgBouncer({ ...common, folder: folder('forgetful'), mode: 'transaction', more });
  bySession = await startPgBouncer({ ...common, folder: folder('session'), mode: 'session' });
  ends.push(...[pooler, forgetful, bySession].map((one) => () => one.stop()));
  await installation.deploy('settings', { DATABASE_URL: pooled(postgresUrl) });
});
afterAll(async () => {
  await installation?.stop();
  await Promise.all(ends.map((end) => end()));
  await rm(directory, { recursive: true, force: true });
});

function openDatabase(url: string, timeouts: { statementTimeoutMs?: number; lockTimeoutMs?: number } = {}) {
  const database = createDatabase({
    url,
    applicationName: 'test',
    acquireTimeoutMs: 10_000,
    log,
    ...timeouts,
  });
  ends.unshift(() => database.close());
  return database;
}

const run = (database: Database, text: string) =>
  withPlatform(database, 'test', (tx) => tx.query({ name: 'test', text, values: [] }));

test.each([
  ['refuses', () => pooler],
  ['forgets', () => forgetful],
])('a service behind a pooler that %s time limits reports at its start what to add', async (_what, which) => {
  const url = which().through(postgresUrl);
  const { ended, said } = await installation.startService('keys', { DATABASE_URL: url });
  expect(await ended).toBe(1);
  expect(said()).toMatch(/^keys: DATABASE_URL: a pooler .* add pgbouncer=true to the address\n$/);
});

test('migrate refuses a pooler of transactions, and takes one of sessions', async () => {
  for (const url of [
    pooler.through(postgresUrl),
    pooled(postgresUrl),
    pooled(bySession.through(postgresUrl)),
  ])
    await expect(installation.deploy('migrate', { DATABASE_URL: url })).rejects.toMatchObject({
      stderr: expect.stringMatching(/^migrate: DATABASE_URL leads to a pooler of transactions: [^\n]*\n$/),
    });
  const url = bySession.through(postgresUrl);
  expect(await installation.deploy('migrate', { DATABASE_URL: url })).toBe('migrate: done\n');
});

test('time limits apply in each transaction and end with it', async () => {
  const url = pooled(postgresUrl);
  const short = openDatabase(url, { statementTimeoutMs: 300, lockTimeoutMs: 200 });
  await expect(run(short, 'select pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
  const other = new pg.Client({ connectionString: pooler.through(postgresUrl) });
  await other.connect();
  await other.query('begin');
  await other.query('lock table migrations.names in access exclusive mode');
  await expect(run(short, 'select * from migrations.names')).rejects.toMatchObject({ code: '55P03' });
  const { rows } = await other.query(`select current_setting('statement_timeout') as statement,
    current_setting('app.platform', true) as scope`);
  await other.query('rollback');
  await other.end();
  expect(rows).toEqual([{ statement: '0', scope: expect.toSatisfy((scope) => !scope) }]);
});

test('one statement under one name answers on every connection of the server', async () => {
  const database = openDatabase(pooled(postgresUrl));
  const text = 'select pg_backend_pid() as pid, pg_sleep(0.05)';
  const answers = await Promise.all(Array.from({ length: 24 }, () => run(database, text)));
  const pids = new Set(answers.map(([row]) => (row as { pid: number }).pid));
  expect(pids.size).toBe(3);
});

test('work of only one instance runs once at a time, and again afterwards', async () => {
  const database = openDatabase(pooled(postgresUrl));
  const lock = 4711;
  for (let round = 0; round < 5; round += 1) {
    const others: boolean[] = [];
    const ran = await asOnlyInstance(database, lock, async () => {
      const tries = Array.from({ length: 3 }, () => asOnlyInstance(database, lock, async () => undefined));
      others.push(...(await Promise.all(tries)));
    });
    expect({ ran, others }).toEqual({ ran: true, others: [false, false, false] });
  }
});

test('all six services answer behind a pooler of transactions, and nothing is lost or answered twice', async () => {
  await installation.start();
  const chats = new SandboxChats(installation.sandboxUrl);
  for (let turn = 0; turn < 5; turn += 1)
    await Promise.all(Array.from({ length: 6 }, (_, person) => chats.say(person)));
  expect(await chats.settle()).toEqual({ lost: [], twice: [], thrice: [], misplaced: [] });
  expect(chats.count).toBe(30);
});
