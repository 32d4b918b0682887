import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { boolean, count, number, text } from './expressions.ts';
import { askOn } from './own-connection.ts';
import { columns, typedSql } from './typed-sql.ts';

interface Migration {
  /** In milliseconds; drizzle identifies and orders migrations by it. */
  when: number;
  /** The file's name without `.sql`. */
  tag: string;
}

/** This version's migrations of a service, oldest first. */
export function migrationsOf(servicesDir: string, service: string): Migration[] {
  const journal = join(servicesDir, service, 'migrations', 'meta', '_journal.json');
  if (!existsSync(journal)) return [];
  return (JSON.parse(readFileSync(journal, 'utf8')) as { entries: Migration[] }).entries;
}

/** The oldest supported version of Postgres. */
const oldestPostgres = { number: 170_006, name: '17.6' };

const serverText = typedSql`select ${columns({
  version: text("current_setting('server_version')"),
  number: number("current_setting('server_version_num')::int"),
  role: text('current_user'),
  database: text('current_database()'),
  mayCreateRoles: boolean('(select rolcreaterole or rolsuper from pg_roles where rolname = current_user)'),
  mayCreateSchemas: boolean("has_database_privilege(current_database(), 'create')"),
})}`;

/**
 * Checks everything that a migration needs before it changes anything.
 * @throws Error with one line that names everything that is missing.
 */
export async function checkServer(client: pg.Client): Promise<void> {
  const [found] = await askOn(client, serverText);
  if (!found) throw new Error('Postgres told nothing about itself');
  const { version, role, database } = found;
  const faults = [
    ...(found.number < oldestPostgres.number
      ? [`Postgres ${version} is too old: ${oldestPostgres.name} or newer is needed`]
      : []),
    ...(found.mayCreateRoles ? [] : [`the role ${role} may not create roles: alter role ${role} createrole`]),
    ...(found.mayCreateSchemas
      ? []
      : [`the role ${role} may not create schemas: alter database ${database} owner to ${role}`]),
  ];
  if (faults.length > 0) throw new Error(faults.join('; '));
}

const namesText = typedSql`select ${columns({ name: text('name'), when: number('created_at') })}
  from migrations.names where service = $1 order by created_at`;

/**
 * Refuses a database that a newer version has migrated, because this version doesn't know its tables.
 * @throws Error with one line.
 */
export async function refuseDowngrade(
  client: pg.Client,
  servicesDir: string,
  services: readonly string[],
): Promise<void> {
  for (const service of services) {
    const ownMigrations = new Set(migrationsOf(servicesDir, service).map(({ when }) => when));
    const unknown = (await askOn(client, namesText, [service])).find(({ when }) => !ownMigrations.has(when));
    if (unknown)
      throw new Error(
        `the database is newer than this version: it has ${service}/${unknown.name}. Install the version that it was migrated by, or restore a backup of this one`,
      );
  }
}

const countText = typedSql`select ${columns({ count: count() })} from migrations.names
  where service = $1 and name = any ($2)`;

/** Whether every migration that this version has for a service was applied. */
export async function hasMigrations(
  client: pg.Client,
  servicesDir: string,
  service: string,
): Promise<boolean> {
  const tags = migrationsOf(servicesDir, service).map(({ tag }) => tag);
  const [found] = await askOn(client, countText, [service, tags]);
  return found?.count === tags.length;
}
