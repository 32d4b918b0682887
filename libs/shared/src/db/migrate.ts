import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { certificateFault, postgresSettings } from '../config/certificate-fault.ts';
import { isPooled } from '../config/postgres-url.ts';
import { connectionOptions } from './connection-options.ts';
import { drizzle } from './drizzle.ts';
import { grantReader } from './reader.ts';
import { checkServer, migrationsOf, refuseDowngrade } from './schema-version.ts';

const load = createRequire(import.meta.url);
const { migrate } = load(
  'drizzle-orm/node-postgres/migrator',
) as typeof import('drizzle-orm/node-postgres/migrator');

/** Services with their own schema, in the order in which they are migrated. */
export const servicesWithSchema = ['tenancy', 'keys', 'usage', 'webhooks', 'agents'] as const;
export type ServiceWithSchema = (typeof servicesWithSchema)[number];

export const roleOf = (service: ServiceWithSchema): string => `botyard_${service}`;

export interface MigrateOptions {
  /**
   * Connection of a role that may create roles and owns the database; it needs no other rights. Services never get
   * it. A direct connection, or a pooler in session mode, because the session holds a lock.
   */
  ownerUrl: string;
  /** Folder that holds `<service>/migrations`. */
  servicesDir: string;
  /** The password of each service's login role. */
  passwords: Readonly<Record<ServiceWithSchema, string>>;
  /** The password of the login that reads the catalogue; if unset, it keeps its current one. */
  readerPassword?: string | undefined;
}

/** The number of the advisory lock that every migration takes, so that only one runs at a time. */
const migrationLock = 7_305_482_911;

/**
 * Brings all schemas up to date. Safe to run several times, also concurrently.
 * @throws Error with one line for an operator if the server, the role or the database can't be used.
 */
export async function migrateAll(options: MigrateOptions): Promise<void> {
  const client = new pg.Client({
    ...connectionOptions(options.ownerUrl),
    application_name: 'botyard-migrations',
  });
  await connectAsOwner(client);
  try {
    await refusePooler(client, options.ownerUrl);
    await checkServer(client);
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(commonSchema);
    await refuseDowngrade(client, options.servicesDir, servicesWithSchema);
    await client.query(searchByIndex);
    for (const service of servicesWithSchema) {
      await createRole(client, service, options.passwords[service]);
      const migrationsFolder = join(options.servicesDir, service, 'migrations');
      if (!existsSync(join(migrationsFolder, 'meta', '_journal.json'))) continue;
      await migrate(drizzle({ client }), {
        migrationsFolder,
        migrationsSchema: 'migrations',
        migrationsTable: service,
      });
      await nameMigrations(client, service, options.servicesDir);
    }
    await grantReader(client, servicesWithSchema, options.readerPassword);
  } finally {
    await client.end();
  }
}

/** @throws Error with one line that says what to do if the server's certificate is invalid. */
async function connectAsOwner(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    const fault = certificateFault(error, postgresSettings);
    throw fault ? new Error(fault, { cause: error }) : error;
  }
}

/**
 * Migrations hold a lock of their session, and a pooler of transactions shares sessions.
 * @throws Error with one line if two connections turn out to share a session.
 */
async function refusePooler(client: pg.Client, ownerUrl: string): Promise<void> {
  const other = new pg.Client(connectionOptions(ownerUrl));
  await other.connect();
  const pids: number[] = [];
  for (const one of [client, other])
    pids.push((await one.query('select pg_backend_pid() as pid')).rows[0].pid);
  await other.end();
  if (pids[0] === pids[1] || isPooled(ownerUrl))
    throw new Error(
      'DATABASE_URL leads to a pooler of transactions: migrations need the address of Postgres itself',
    );
}

/** The table of migrations identifies them by time and hash; people identify them by name. */
async function nameMigrations(client: pg.Client, service: string, servicesDir: string): Promise<void> {
  const migrations = migrationsOf(servicesDir, service);
  await client.query(
    `insert into migrations.names (service, created_at, name) select $1, w, t from unnest($2::bigint[], $3::text[]) as u (w, t)
     on conflict do nothing`,
    [service, migrations.map(({ when }) => when), migrations.map(({ tag }) => tag)],
  );
}

/** The owner's address with the service's login instead. */
export function serviceDatabaseUrl(ownerUrl: string, service: ServiceWithSchema, password: string): string {
  const url = new URL(ownerUrl);
  url.username = roleOf(service);
  url.password = encodeURIComponent(password);
  return url.toString();
}

/** The functions that every policy uses. Empty settings mean neither a tenant nor the platform. */
const commonSchema = `
  create schema if not exists app;
  create schema if not exists migrations;
  create table if not exists migrations.names (service text not null, created_at bigint not null, name text not null,
    applied_at timestamptz not null default now(), primary key (service, created_at));
  revoke create on schema public from public;
  create or replace function app.tenant_ids() returns uuid[] language sql stable parallel safe
    return string_to_array(nullif(current_setting('app.tenant_ids', true), ''), ',')::uuid[];
  create or replace function app.is_platform() returns boolean language sql stable parallel safe
    return coalesce(current_setting('app.platform', true), '') <> '';
`;

/**
 * Under row-level security an index is used only for operators marked as leakproof, and Postgres marks none of full
 * text search. This one compares, has no effect, and has no error that depends on a row. Only a superuser may mark
 * it: otherwise a search reads the tenant's passages one by one (docs/decisions/0018-context.md).
 */
const searchByIndex = `
  do $$ begin
    if not (select proleakproof from pg_proc where oid = 'pg_catalog.ts_match_vq(tsvector, tsquery)'::regprocedure) then
      alter function pg_catalog.ts_match_vq(tsvector, tsquery) leakproof;
    end if;
  exception when insufficient_privilege then raise notice 'full text search stays without its index';
  end $$;
`;

/** A login that sees only its own schema, and can neither define nor truncate anything. */
async function createRole(client: pg.Client, service: ServiceWithSchema, password: string): Promise<void> {
  const role = roleOf(service);
  await client.query(`
    do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login; end if;
    end $$;
    alter role ${role} with login password ${client.escapeLiteral(password)};
    create schema if not exists ${service};
    grant usage on schema app, migrations, ${service} to ${role};
    grant select on migrations.names to ${role};
    alter default privileges in schema ${service} grant select, insert, update, delete on tables to ${role};
    alter default privileges in schema ${service} grant usage on sequences to ${role};
  `);
}
