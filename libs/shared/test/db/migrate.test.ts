import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrateAll, serviceDatabaseUrl, servicesWithSchema } from '../../src/db/migrate.ts';
import { hasMigrations } from '../../src/db/schema-version.ts';

const servicesDir = join(import.meta.dirname, '..', '..', '..', '..', 'services');
const passwords = Object.fromEntries(
  servicesWithSchema.map((service) => [service, randomBytes(24).toString('base64url')]),
) as Parameters<typeof migrateAll>[0]['passwords'];
let superuser: pg.Client;
const made: { database: string; role: string }[] = [];

beforeAll(async () => {
  superuser = new pg.Client({ connectionString: inject('postgresUrl') });
  await superuser.connect();
});
afterAll(async () => {
  for (const { database, role } of made) {
    await superuser.query(`drop database if exists ${database} with (force)`);
    await superuser.query(`drop owned by ${role} cascade`);
    await superuser.query(`drop role if exists ${role}`);
  }
  await superuser.end();
});

/** A database as a managed Postgres gives it: owned by a role that is no superuser, with these attributes. */
async function managed(attributes: string, { isOwner = true } = {}): Promise<string> {
  const id = randomUUID().replaceAll('-', '').slice(0, 12);
  const [database, role] = [`managed_${id}`, `owner_${id}`];
  made.push({ database, role });
  await superuser.query(`create role ${role} login password 'managed' nosuperuser ${attributes}`);
  await superuser.query(`create database ${database} ${isOwner ? `owner ${role}` : ''}`);
  const url = new URL(inject('postgresUrl'));
  Object.assign(url, { username: role, password: 'managed', pathname: `/${database}` });
  return url.href;
}

test('migrate works for a role that may create roles and owns the database, and is nothing more', async () => {
  // Logins belong to the server: those that another owner has made are handed to this one, as an operator would.
  const ownerUrl = await managed('createrole');
  const owner = new URL(ownerUrl).username;
  for (const service of [...servicesWithSchema, 'reader'])
    await superuser.query(`grant botyard_${service} to ${owner} with admin option`);
  await migrateAll({ ownerUrl, servicesDir, passwords });
  await migrateAll({ ownerUrl, servicesDir, passwords });
  for (const service of servicesWithSchema) {
    const client = new pg.Client({
      connectionString: serviceDatabaseUrl(ownerUrl, service, passwords[service]),
    });
    await client.connect();
    expect(await hasMigrations(client, servicesDir, service), service).toBe(true);
    await client.end();
  }
});

test('a role without the rights is refused in one line that names the missing ones', async () => {
  const ownerUrl = await managed('nocreaterole', { isOwner: false });
  await expect(migrateAll({ ownerUrl, servicesDir, passwords })).rejects.toThrow(
    /^the role \w+ may not create roles: alter role \w+ createrole; the role \w+ may not create schemas: [^\n]+$/,
  );
});

test('a database that a newer version has migrated is refused and not changed', async () => {
  const ownerUrl = await managed('createrole');
  const owner = new URL(ownerUrl).username;
  for (const service of [...servicesWithSchema, 'reader'])
    await superuser.query(`grant botyard_${service} to ${owner} with admin option`);
  await migrateAll({ ownerUrl, servicesDir, passwords });
  const older = await mkdtemp(join(tmpdir(), 'botyard-older-'));
  try {
    await cp(servicesDir, older, {
      recursive: true,
      filter: (path) => !/node_modules|\/src(\/|$)|\/test(\/|$)/.test(path),
    });
    const journal = join(older, 'keys', 'migrations', 'meta', '_journal.json');
    const { entries, ...rest } = JSON.parse(await readFile(journal, 'utf8'));
    await writeFile(journal, JSON.stringify({ ...rest, entries: entries.slice(0, -1) }));
    await expect(migrateAll({ ownerUrl, servicesDir: older, passwords })).rejects.toThrow(
      /^the database is newer than this version: it has keys\/\w+\. Install [^\n]+$/,
    );
  } finally {
    await rm(older, { recursive: true });
  }
});
