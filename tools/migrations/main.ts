import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';
import { readCommandLine } from '../command-line/read-command-line.ts';

const commandLine = {
  name: 'npm run migration',
  about:
    "Generates the SQL migration for a change of a service's drizzle schema. Review the file before you commit it. Merged files are never edited.",
  arguments: [
    {
      name: 'service',
      about: 'The service with the changed schema.',
      values: servicesWithMigrations(),
      isRequired: true,
    },
    {
      name: 'what_changes',
      about: 'The name of the file: lowercase letters, digits and underscores.',
      isRequired: true,
    },
  ],
  examples: [
    { command: 'npm run migration -- agents chat_labels', about: 'a change to the tables of agents' },
    { command: 'npm run migration -- usage price_of_audio', about: 'a change to the tables of usage' },
  ],
} as const satisfies CommandLine;

const { service, what } = readCommandLine(commandLine, (args) => {
  const [service = '', what = ''] = parseCommandLine(commandLine, args).arguments;
  if (!/^[a-z0-9_]+$/.test(what))
    throw new CommandLineError('<what_changes> may contain lowercase letters, digits and underscores only');
  return { service, what };
});

const folder = join('services', service, 'migrations');
const filesIn = () =>
  new Set(existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sql')) : []);
const before = filesIn();

const drizzleKit = join('node_modules', 'drizzle-kit', 'bin.cjs');
const run = spawnSync(
  process.execPath,
  [drizzleKit, 'generate', '--config', 'tools/migrations/drizzle.config.ts', '--name', what],
  { env: { ...process.env, MIGRATIONS_SERVICE: service }, stdio: 'inherit' },
);
if (run.status !== 0) process.exit(run.status ?? 1);

for (const name of filesIn().difference(before)) {
  const path = join(folder, name);
  writeFileSync(path, completed(readFileSync(path, 'utf8')));
  console.log(`wrote ${path}: review it before you commit it`);
}
keepNewestSnapshot(join(folder, 'meta'));

function servicesWithMigrations(): string[] {
  const services = join(import.meta.dirname, '../../services');
  return readdirSync(services).filter((name) => existsSync(join(services, name, 'migrations')));
}

/**
 * Completes drizzle-kit's SQL. It enables row-level security without forcing it on the owner, and the schema already
 * exists before the first migration.
 */
function completed(sql: string): string {
  const forced = [...sql.matchAll(/ALTER TABLE ("\w+"\."\w+") ENABLE ROW LEVEL SECURITY;/g)].map(
    ([, table]) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
  );
  const created = sql.replace(/^CREATE SCHEMA "/m, 'CREATE SCHEMA IF NOT EXISTS "');
  return `${[created.trimEnd(), ...forced].join('--> statement-breakpoint\n')}\n`;
}

/**
 * Deletes all snapshots of the schema but the newest, the only one that drizzle-kit compares with, and writes each of
 * its tables in one line.
 */
function keepNewestSnapshot(meta: string): void {
  const snapshots = readdirSync(meta)
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort();
  const newest = snapshots.pop();
  if (!newest) return;
  for (const name of snapshots) rmSync(join(meta, name));
  const { tables, ...rest } = JSON.parse(readFileSync(join(meta, newest), 'utf8'));
  const lines = Object.entries(tables).map(
    ([name, table]) => `${JSON.stringify(name)}: ${JSON.stringify(table)}`,
  );
  const head = JSON.stringify(rest).slice(0, -1);
  writeFileSync(join(meta, newest), `${head},"tables": {\n${lines.join(',\n')}\n}}\n`);
}
