import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run migration -- <service> <what>`: writes the SQL for what changed in a service's drizzle schema. Read it
 * before you commit it; merged files are never edited.
 */
const [service, what] = process.argv.slice(2);
if (!service || !/^[a-z]+$/.test(service) || !what || !/^[a-z0-9_]+$/.test(what)) {
  console.error('usage: npm run migration -- <service> <what_changes>');
  process.exit(2);
}

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
  console.log(`wrote ${path}: read it before you commit it`);
}

/** drizzle-kit enables row-level security, but doesn't force it on the owner; and the schema exists before the first file. */
function completed(sql: string): string {
  const forced = [...sql.matchAll(/ALTER TABLE ("\w+"\."\w+") ENABLE ROW LEVEL SECURITY;/g)].map(
    ([, table]) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
  );
  const created = sql.replace(/^CREATE SCHEMA "/m, 'CREATE SCHEMA IF NOT EXISTS "');
  return `${[created.trimEnd(), ...forced].join('--> statement-breakpoint\n')}\n`;
}
