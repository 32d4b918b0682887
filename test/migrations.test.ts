import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { digestsOfMigrations, listSnapshots, readFacts } from './deploy/support/snapshot/format.ts';

const root = join(import.meta.dirname, '..');
const servicesDir = join(root, 'services');
const releases = listSnapshots();

/** Statements that take something away that processes of the previous version read or write. */
const breaking: readonly [pattern: RegExp, what: string][] = [
  [/\bdrop\s+(table|column|schema|view|type|sequence)\b/i, 'drops what an old process uses'],
  [/\brename\s+(to|column)\b/i, 'renames what an old process uses'],
  [/\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i, 'changes a type'],
  [/\balter\s+column\s+\S+\s+set\s+not\s+null\b/i, 'asks for a value that an old process leaves out'],
  [/\balter\s+column\s+\S+\s+drop\s+default\b/i, 'takes a default that an old process relies on'],
];

/** Why a statement must not come while processes of the release before run; `undefined` when it may. */
function breakageOf(statement: string): string | undefined {
  const [, since] = /^--\s*unused since (\S+)/m.exec(statement) ?? [];
  if (since && releases.includes(since)) return undefined;
  const sql = statement.replace(/^--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''");
  const breakingChange = breaking.find(([pattern]) => pattern.test(sql));
  if (breakingChange) return breakingChange[1];
  const added = /\badd\s+column\s+(?<column>[^;]*)/i.exec(sql)?.groups?.column ?? '';
  const isRequired = /\bnot\s+null\b/i.test(added) && !/\b(default|generated)\b/i.test(added);
  return isRequired ? 'adds a column without a default that an old process leaves out' : undefined;
}

const statementsOf = (sql: string): string[] => sql.split(/--> statement-breakpoint|;[^\S\n]*\n/);

test('processes of the previous release work with every migration since', () => {
  const released = readFacts(releases.at(-1)!).migrations;
  const later = Object.keys(digestsOfMigrations(servicesDir)).filter((name) => !(name in released));
  const faults = later.flatMap((name) => {
    const [service = '', tag] = name.split('/');
    const sql = readFileSync(join(servicesDir, service, 'migrations', `${tag}.sql`), 'utf8');
    return statementsOf(sql).flatMap((statement) => {
      const breakage = breakageOf(statement);
      return breakage ? [`${name}: ${breakage}: ${statement.trim().split('\n').at(-1)}`] : [];
    });
  });
  expect(
    faults,
    'Add now, and take away in a later release, with the line `-- unused since <release>` above the statement.',
  ).toEqual([]);
});

test.each(servicesWithMigrations())('the migrations of %s make the tables of its schema', async (service) => {
  const folder = mkdtempSync(join(tmpdir(), 'botyard-migrations-'));
  try {
    cpSync(join(servicesDir, service, 'migrations'), folder, { recursive: true });
    const before = readdirSync(folder);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(root, 'node_modules', 'drizzle-kit', 'bin.cjs'),
        'generate',
        '--config',
        'tools/migrations/drizzle.config.ts',
      ],
      {
        cwd: root,
        env: { ...process.env, MIGRATIONS_SERVICE: service, MIGRATIONS_FOLDER: relative(root, folder) },
      },
    );
    expect(readdirSync(folder), stdout).toEqual(before);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a service keeps the newest snapshot of its schema alone', () => {
  for (const service of servicesWithMigrations()) {
    const meta = join(servicesDir, service, 'migrations', 'meta');
    const { entries } = JSON.parse(readFileSync(join(meta, '_journal.json'), 'utf8'));
    const snapshot = `${String(entries.at(-1).idx).padStart(4, '0')}_snapshot.json`;
    expect(readdirSync(meta).sort(), service).toEqual([snapshot, '_journal.json']);
  }
});

test('a migration of a release is never edited', () => {
  const digests = digestsOfMigrations(servicesDir);
  for (const release of releases) expect(digests).toMatchObject(readFacts(release).migrations);
});

test.each([
  'ALTER TABLE "keys"."keys" DROP COLUMN "name";',
  'DROP TABLE "keys"."keys";',
  'ALTER TABLE "keys"."keys" RENAME COLUMN "name" TO "title";',
  'ALTER TABLE "keys"."keys" RENAME TO "secrets";',
  'ALTER TABLE "keys"."keys" ALTER COLUMN "name" SET DATA TYPE bigint;',
  'ALTER TABLE "keys"."keys" ALTER COLUMN "name" SET NOT NULL;',
  'ALTER TABLE "keys"."keys" ALTER COLUMN "name" DROP DEFAULT;',
  'ALTER TABLE "keys"."keys" ADD COLUMN "name" text NOT NULL;',
  '-- unused since 99.0.0\nALTER TABLE "keys"."keys" DROP COLUMN "name";',
])('refused: %s', (statement) => {
  expect(breakageOf(statement)).toBeDefined();
});

test.each([
  'ALTER TABLE "keys"."keys" ADD COLUMN "name" text;',
  `ALTER TABLE "keys"."keys" ADD COLUMN "name" text DEFAULT 'drop table' NOT NULL;`,
  'CREATE TABLE "keys"."more" ("name" text NOT NULL);',
  'ALTER TABLE "keys"."keys" ALTER COLUMN "name" DROP NOT NULL;',
  `-- unused since ${releases.at(-1)}\nALTER TABLE "keys"."keys" DROP COLUMN "name";`,
])('taken: %s', (statement) => {
  expect(breakageOf(statement)).toBeUndefined();
});

function servicesWithMigrations(): string[] {
  return readdirSync(servicesDir).filter((name) => existsSync(join(servicesDir, name, 'migrations')));
}
