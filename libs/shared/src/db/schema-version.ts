import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

export interface Migration {
  /** Milliseconds, by which drizzle orders and knows it. */
  when: number;
  /** Its file, without `.sql`. */
  tag: string;
}

/** The migrations of a service that this version has, oldest first. */
export function migrationsOf(servicesDir: string, service: string): Migration[] {
  const journal = join(servicesDir, service, 'migrations', 'meta', '_journal.json');
  if (!existsSync(journal)) return [];
  return (JSON.parse(readFileSync(journal, 'utf8')) as { entries: Migration[] }).entries;
}

/** What Postgres must be and the migrating role must be allowed to do; each fault is one line for the operator. */
const oldestPostgres = { number: 170_006, name: '17.6' };

/**
 * Checks what a migration needs before it changes anything.
 * @throws Error with one line that names everything that is missing.
 */
export async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    version: string;
    number: number;
    role: string;
    database: string;
    may_create_roles: boolean;
    may_create_schemas: boolean;
  }>(`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_user as role, current_database() as database,
      (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) as may_create_roles,
      has_database_privilege(current_database(), 'create') as may_create_schemas
  `);
  const [found] = rows;
  if (!found) throw new Error('Postgres told nothing about itself');
  const { version, role, database } = found;
  const faults = [
    ...(found.number < oldestPostgres.number
      ? [`Postgres ${version} is too old: ${oldestPostgres.name} or newer is needed`]
      : []),
    ...(found.may_create_roles
      ? []
      : [`the role ${role} may not create roles: alter role ${role} createrole`]),
    ...(found.may_create_schemas
      ? []
      : [`the role ${role} may not create schemas: alter database ${database} owner to ${role}`]),
  ];
  if (faults.length > 0) throw new Error(faults.join('; '));
}

/**
 * Refuses a database that a newer version has migrated: this one doesn't know what its tables mean.
 * @throws Error with one line.
 */
export async function refuseDowngrade(
  client: pg.Client,
  servicesDir: string,
  services: readonly string[],
): Promise<void> {
  for (const service of services) {
    const known = new Set(migrationsOf(servicesDir, service).map(({ when }) => when));
    const { rows } = await client.query<{ name: string; created_at: string }>(
      'select name, created_at from migrations.names where service = $1 order by created_at',
      [service],
    );
    const unknown = rows.find(({ created_at }) => !known.has(Number(created_at)));
    if (unknown)
      throw new Error(
        `the database is newer than this version: it has ${service}/${unknown.name}. Install the version that it was migrated by, or restore a backup of this one`,
      );
  }
}

/** Whether the database has every migration of a service that this version has. */
export async function hasMigrations(
  client: pg.Client,
  servicesDir: string,
  service: string,
): Promise<boolean> {
  const tags = migrationsOf(servicesDir, service).map(({ tag }) => tag);
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from migrations.names where service = $1 and name = any ($2)',
    [service, tags],
  );
  return rows[0]?.count === tags.length;
}
