import { connectionOptions } from '@botyard/shared/db/connection-options';
import { migrateAll, roleOf, servicesWithSchema } from '@botyard/shared/db/migrate';
import pg from 'pg';
import { checkArchive, type Manifest, type Part, readArchive } from './archive.ts';
import { fingerprintsOf, type Installation, knownMigrations } from './backup.ts';
import { rememberWhatIsThere } from './returned.ts';
import { insertRows, listTables, openTables, seeEverything } from './tables.ts';

interface RestoreOptions extends Installation {
  passwords: Parameters<typeof migrateAll>[0]['passwords'];
  readerPassword: string | undefined;
  /** True to replace the existing installation. */
  replaces: boolean;
}

interface Restored extends Manifest {
  /** Restored items that had been deleted after the backup. They are known only if the newer database still existed. */
  returned: string[];
}

/** Erasure records are never replaced by older ones: with them, people erased after the backup are erased again. */
const isLedger = (key: string): boolean => /^([^/]+\/erasures\/ledger|platform\/erasures\/mark)/.test(key);

/**
 * Restores an archive into the database and the object store. Services must be stopped. All rows are restored in one
 * transaction. An interrupted restore has to be repeated. @throws Error with one line if the archive doesn't match the
 * installation; nothing is changed then.
 */
export async function restore(file: string, options: RestoreOptions): Promise<Restored> {
  const manifest = await checkArchive(file);
  refuseMisfit(manifest, options);
  await refuseOccupied(options);
  await migrateAll(options);
  const streams = (await options.nats?.streams(servicesWithSchema)) ?? [];
  await options.nats?.removeStreams(streams);
  const parts = readArchive(file);
  const returned = await restoreRows(parts, options);
  if (options.nats) await restoreObjects(file, options.nats, isLedger);
  return { ...manifest, returned };
}

function refuseMisfit(
  manifest: Manifest,
  { servicesDir, secretsKeys, namespace, nats }: RestoreOptions,
): void {
  if (JSON.stringify(manifest.migrations) !== JSON.stringify(knownMigrations(servicesDir)))
    throw new Error(
      `the backup is from version ${manifest.version}, which has other tables: restore it with that version, then upgrade`,
    );
  const own = fingerprintsOf(secretsKeys);
  if (!manifest.keys.every((key) => own.includes(key)))
    throw new Error("the secrets don't match the backup: put its secrets.json into SETTINGS_DIR first");
  if (manifest.namespace !== namespace)
    throw new Error(
      `the backup has NATS_NAMESPACE ${manifest.namespace}, but it is ${namespace} here: set it to the same value`,
    );
  if (manifest.hasObjects && !nats)
    throw new Error(
      'the backup contains files from NATS, but OBJECT_STORE_URL is set: unset it, and move the files afterwards',
    );
}

/** @throws Error if services are running, or if there is an installation that must not be replaced. */
async function refuseOccupied({ ownerUrl, nats, replaces }: RestoreOptions): Promise<void> {
  await withOwner(ownerUrl, async (client) => {
    const running = await client.query(
      'select from pg_stat_activity where datname = current_database() and usename = any ($1)',
      [servicesWithSchema.map(roleOf)],
    );
    if (running.rowCount) throw new Error('services are connected to the database: stop them first');
    if (replaces) return;
    const tenantsTable = await client.query<{ exists: boolean }>(
      `select to_regclass('tenancy.tenants') is not null as exists`,
    );
    if (!tenantsTable.rows[0]?.exists) return;
    await client.query('begin');
    await client.query(seeEverything);
    const { rowCount } = await client.query('select from tenancy.tenants limit 1');
    await client.query('commit');
    if (rowCount)
      throw new Error('the database contains tenants: add --replace to replace them with the backup');
  });
  if (replaces) return;
  const streams = (await nats?.streams(servicesWithSchema)) ?? [];
  if (streams.length > 0)
    throw new Error(
      'NATS contains events of an installation: add --replace to remove them, or use an empty store',
    );
}

async function restoreRows(parts: AsyncIterable<Part>, { ownerUrl }: RestoreOptions): Promise<string[]> {
  return await withOwner(ownerUrl, async (client) => {
    await client.query('begin');
    await client.query(seeEverything);
    const listReturned = await rememberWhatIsThere(client);
    const tables = await listTables(client, servicesWithSchema);
    const close = await openTables(client, tables, servicesWithSchema);
    for await (const part of parts) {
      if (part.kind === 'object') break;
      if (part.kind === 'rows') await insertRows(client, tables, part);
      if (part.kind === 'sequence')
        await client.query('select setval($1::regclass, $2, $3)', [part.name, part.value, part.isCalled]);
    }
    await close();
    const returned = await listReturned();
    await client.query('commit');
    return returned;
  });
}

/** Restores the files of an archive that the object store lacks, beside running services. */
export async function restoreMissingFiles(file: string, { nats, namespace }: Installation): Promise<void> {
  const manifest = await checkArchive(file);
  if (manifest.namespace !== namespace)
    throw new Error(`the backup has NATS_NAMESPACE ${manifest.namespace}`);
  if (!manifest.hasObjects || !nats)
    throw new Error('files are not kept in NATS: there is nothing to restore');
  await restoreObjects(file, nats, () => true);
}

async function restoreObjects(
  file: string,
  nats: NonNullable<Installation['nats']>,
  keeps: (key: string) => boolean,
): Promise<void> {
  const parts = readArchive(file);
  let next = await parts.next();
  while (!next.done && next.value.kind !== 'object') next = await parts.next();
  while (!next.done) {
    const { value: object } = next;
    if (object.kind !== 'object')
      throw new Error('the backup is damaged: it has a chunk without a file. Use another backup');
    async function* chunks() {
      for (next = await parts.next(); !next.done && next.value.kind === 'chunk'; next = await parts.next())
        yield Buffer.from(next.value.bytes, 'base64');
    }
    await nats.put(object.key, chunks(), keeps);
  }
}

async function withOwner<Result>(
  ownerUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connectionOptions(ownerUrl), application_name: 'botyard-restore' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
