import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { hasMigrations } from '@botyard/shared/db/schema-version';
import { eventually } from '@botyard/testing/eventually';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printFigures } from '../rig/history.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';

const timeoutMs = 280_000;
const servicesDir = fileURLToPath(new URL('../../../services', import.meta.url));
const migrate = fileURLToPath(new URL('../../../libs/shared/src/db/migrate.ts', import.meta.url));
/** Migrations are killed when the schema of this service begins to be made; the full size tries all of them. */
const killedAt = process.env.BOTYARD_FAULTS === 'full' ? servicesWithSchema : (['keys', 'agents'] as const);

let postgres: OwnPostgres;
let databases = 0;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
}, 120_000);
afterAll(() => postgres?.stop());

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function newDatabase(): Promise<string> {
  const owner = await connect(postgres.url);
  const name = `migrated_${++databases}`;
  await owner.query(`create database ${name}`);
  await owner.end();
  return postgres.url.replace(/\/[^/]*$/, `/${name}`);
}

/** `migrate` as a process of its own. */
function startMigration(ownerUrl: string) {
  const passwords = Object.fromEntries(servicesWithSchema.map((service) => [service, 'password']));
  const program = `
    import { migrateAll } from ${JSON.stringify(migrate)};
    await migrateAll(${JSON.stringify({ ownerUrl, servicesDir, passwords })});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' });
  child.stderr.resume();
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended };
}

/** Resolves when the migration has come to this service and not to its end. */
async function untilAt(url: string, service: string): Promise<void> {
  const client = await connect(url);
  await eventually(
    `the migration is at ${service}`,
    async () => (await client.query('select to_regnamespace($1) as found', [service])).rows[0].found !== null,
    { everyMs: 1, timeoutMs: 300_000 },
  );
  await client.end();
}

/** Runs two concurrently, as two pods would: both succeed, and everything exists. */
async function finishesByTwo(url: string): Promise<void> {
  const both = await Promise.all([startMigration(url).ended, startMigration(url).ended]);
  expect(both).toEqual([0, 0]);
  const client = await connect(url);
  for (const service of servicesWithSchema)
    expect(await hasMigrations(client, servicesDir, service), service).toBe(true);
  const { rows } = await client.query(
    'select service, name from migrations.names group by 1, 2 having count(*) > 1',
  );
  expect(rows).toEqual([]);
  await client.end();
}

test.each(killedAt.map((service) => [service]))(
  'F-71: migrate is killed while it makes %s: the next two, started together, finish it',
  async (service) => {
    const url = await newDatabase();
    const { child, ended } = startMigration(url);
    await untilAt(url, service);
    child.kill('SIGKILL');
    await ended;
    await finishesByTwo(url);
  },
  timeoutMs,
);

test(
  'F-71: Postgres is killed in the middle of a migration: it ends with an error, and the next two, run concurrently, finish it',
  async () => {
    const url = await newDatabase();
    const { ended } = startMigration(url);
    await untilAt(url, 'webhooks');
    await postgres.kill();
    expect(await ended).toBe(1);
    const beganAt = performance.now();
    await postgres.startAgain();
    await finishesByTwo(url);
    printFigures('F-71', { 'finished after ms': Math.round(performance.now() - beganAt) });
  },
  timeoutMs,
);
