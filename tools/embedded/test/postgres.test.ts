import { mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningPostgres, startPostgres } from '../postgres.ts';
import { waitUntil } from '../wait-until.ts';
import { isAlive, temporaryDirectory } from './temporary.ts';

const password = 'a password of the test';

async function start(dataDir: string, changes: { password?: string; sharedPlace?: string } = {}) {
  const said: string[] = [];
  const postgres = await startPostgres({
    dataDir,
    password,
    settings: { fsync: 'off' },
    log: (line) => said.push(line),
    ...changes,
  });
  onTestFinished(() => postgres.stop());
  return { postgres, said };
}

async function query(postgres: RunningPostgres, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('a Postgres that is killed starts again on the same data', async () => {
  const dataDir = join(await temporaryDirectory(), 'postgres');
  const { postgres: first } = await start(dataDir);
  await query(first, 'create table kept as select 42 as answer');
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toBeNull();
  const { postgres: second } = await start(dataDir);
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test("other users can't read the data, and a login needs the password", async () => {
  const dataDir = join(await temporaryDirectory(), 'postgres');
  const { postgres } = await start(dataDir);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  const url = new URL(postgres.url);
  url.password = 'wrong';
  const client = new pg.Client({ connectionString: url.href });
  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
  expect(await query(postgres, "select setting from pg_settings where name = 'listen_addresses'")).toEqual([
    { setting: '127.0.0.1' },
  ]);
});

test('a Postgres of a killed run is stopped first', async () => {
  const dataDir = join(await temporaryDirectory(), 'postgres');
  const { postgres: left } = await start(dataDir);
  const { postgres, said } = await start(dataDir);
  expect(isAlive(left.pid)).toBe(false);
  expect(said[0]).toBe(`stopping the Postgres of an earlier run (process ${left.pid})`);
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test("a stale lock file with another process's ID is no obstacle, and that process keeps running", async () => {
  const dataDir = join(await temporaryDirectory(), 'postgres');
  const { postgres: first } = await start(dataDir);
  const lockFile = join(dataDir, 'postmaster.pid');
  const lines = (await readFile(lockFile, 'utf8')).split('\n');
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  await writeFile(lockFile, [String(process.pid), ...lines.slice(1)].join('\n'));
  const { postgres } = await start(dataDir);
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a password that does not match the data is reported in one line', async () => {
  const dataDir = join(await temporaryDirectory(), 'postgres');
  const { postgres } = await start(dataDir);
  await postgres.stop();
  await expect(start(dataDir, { password: 'another' })).rejects.toThrow(
    `the owner's password doesn't match the data in ${dataDir}`,
  );
});

test('a directory with other contents is not changed', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'letter.txt'), 'dear diary');
  await expect(start(dataDir)).rejects.toThrow('contains no Postgres data');
  expect(await readFile(join(dataDir, 'letter.txt'), 'utf8')).toBe('dear diary');
});

test('behind a closed directory Postgres starts as well, also for root', async () => {
  const closed = await temporaryDirectory(0o700);
  const sharedPlace = join(await temporaryDirectory(), 'shared');
  const dataDir = join(closed, 'data', 'postgres');
  await mkdir(join(closed, 'data'));
  const { postgres } = await start(dataDir, { sharedPlace });
  await query(postgres, 'create table kept as select 42 as answer');
  await postgres.stop();
  const { postgres: second } = await start(dataDir, { sharedPlace });
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }]);
  if (process.getuid?.() === 0) expect(await readlink(dataDir)).toMatch(`${sharedPlace}/data-`);
});

test('stop ends all of it', async () => {
  const dataDir = join(await temporaryDirectory(), 'postgres');
  const { postgres } = await start(dataDir);
  await postgres.stop();
  expect(await postgres.exited).toBe(0);
  const isGone = await waitUntil(() => (isAlive(postgres.pid) ? undefined : true), { timeoutMs: 60_000 });
  expect(isGone).toBe(true);
});
