import { createHash } from 'node:crypto';
import { connectionOptions } from '@botyard/shared/db/connection-options';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { migrationsOf } from '@botyard/shared/db/schema-version';
import pg from 'pg';
import { ArchiveWriter, type Manifest } from './archive.ts';
import type { NatsStore } from './objects.ts';
import { dumpTables, seeEverything } from './tables.ts';

export interface Installation {
  ownerUrl: string;
  servicesDir: string;
  version: string;
  namespace: string;
  /** The sealing keys. The archive contains their fingerprints, never the keys. */
  secretsKeys: string;
  /** `undefined` if files are stored in S3. */
  nats: NatsStore | undefined;
}

/** Returns short fingerprints of the keys. A key of 32 random bytes can't be recovered from one. */
export const fingerprintsOf = (secretsKeys: string): string[] =>
  secretsKeys.split(',').map((key) => createHash('sha256').update(key.trim()).digest('hex').slice(0, 16));

export const knownMigrations = (servicesDir: string): Record<string, string[]> =>
  Object.fromEntries(
    servicesWithSchema.map((service) => [service, migrationsOf(servicesDir, service).map(({ tag }) => tag)]),
  );

/**
 * Writes a consistent snapshot of the database, and then the files. The archive may contain files of later rows, but no
 * file of the snapshot is missing.
 */
export async function backup(file: string, installation: Installation): Promise<void> {
  const archive = await ArchiveWriter.create(file);
  const client = new pg.Client({
    ...connectionOptions(installation.ownerUrl),
    application_name: 'botyard-backup',
  });
  try {
    await client.connect();
    await refuseOtherVersion(client, installation);
    await archive.add(manifestOf(installation));
    await client.query('begin isolation level repeatable read read only');
    await client.query(seeEverything);
    await dumpTables(client, servicesWithSchema, archive);
    await client.query('commit');
    await installation.nats?.dump(archive);
    await archive.finish();
  } catch (error) {
    await archive.discard();
    throw error;
  } finally {
    await client.end();
  }
}

const manifestOf = ({ version, namespace, servicesDir, secretsKeys, nats }: Installation): Manifest => ({
  kind: 'manifest',
  format: 1,
  version,
  madeAt: new Date().toISOString(),
  namespace,
  migrations: knownMigrations(servicesDir),
  keys: fingerprintsOf(secretsKeys),
  hasObjects: nats !== undefined,
});

/** @throws Error if the database has another version, because the manifest would then name the wrong migrations. */
async function refuseOtherVersion(client: pg.Client, { servicesDir }: Installation): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select service || '/' || name as name from migrations.names order by 1`,
  );
  const ownMigrations = Object.entries(knownMigrations(servicesDir)).flatMap(([service, tags]) =>
    tags.map((tag) => `${service}/${tag}`),
  );
  if (JSON.stringify(rows.map(({ name }) => name).sort()) !== JSON.stringify(ownMigrations.sort()))
    throw new Error(
      'the database has another version: run `migrate` first, or use the `backup` of the running version',
    );
}
