import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { migrationsOf } from '@botyard/shared/db/schema-version';
import pg from 'pg';
import { ArchiveWriter, readArchive } from '../../../../tools/deploy/backup/archive.ts';
import { restore } from '../../../../tools/deploy/backup/restore.ts';
import { loadSecrets } from '../../../../tools/launcher/settings/secrets.ts';
import { root } from '../engine.ts';
import { ProcessInstallation } from '../processes.ts';
import { SandboxChats } from '../sandbox-chats.ts';
import { readFacts, type SnapshotFacts, shiftTimestamps, snapshotsDir, unpack } from './format.ts';
import { type Servers, startServers } from './servers.ts';
import { type KeptStream, writeStreams } from './streams.ts';

/**
 * Loads the data of a release into separate servers in `directory`, as if it had just been stopped. Only the servers
 * run; `installation` uses today's code.
 */
export async function loadSnapshot(version: string, directory: string) {
  const facts = readFacts(version);
  const settingsDir = await writeSettings(version, directory);
  const servers = await startServers(directory, settingsDir);
  try {
    await fillServers(facts, { directory, settingsDir, servers });
    const { ports } = facts;
    const installation = await ProcessInstallation.prepare(settingsDir, servers.env, { ports });
    return { facts, servers, installation, chats: new SandboxChats(installation.sandboxUrl, facts.said) };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

const readKept = (version: string, name: string) => readFile(join(snapshotsDir, version, name));

async function writeSettings(version: string, directory: string): Promise<string> {
  const settingsDir = join(directory, 'settings');
  const settings = unpack(await readKept(version, 'settings.json.gz')) as Record<string, string>;
  for (const [name, text] of Object.entries(settings)) {
    await mkdir(dirname(join(settingsDir, name)), { recursive: true });
    await writeFile(join(settingsDir, name), text, { mode: 0o600 });
  }
  return settingsDir;
}

interface Place {
  directory: string;
  settingsDir: string;
  servers: Servers;
}

async function fillServers(facts: SnapshotFacts, { directory, settingsDir, servers }: Place): Promise<void> {
  const { version } = facts;
  const byMs = Date.now() - Date.parse(facts.madeAt);
  const archive = await moveArchive(join(snapshotsDir, version, 'rows.backup'), directory, byMs);
  const servicesDir = await migrationsUpTo(facts, directory);
  const { postgres, secretsKeys } = await loadSecrets(settingsDir);
  await restore(archive, {
    ownerUrl: servers.postgresUrl,
    servicesDir,
    version,
    secretsKeys,
    namespace: 'botyard',
    nats: undefined,
    replaces: false,
    passwords: postgres as Parameters<typeof restore>[1]['passwords'],
    readerPassword: postgres.reader,
  });
  const text = JSON.stringify(unpack(await readKept(version, 'streams.json.gz')));
  const connection = await servers.connectAsAdmin();
  const made = await writeStreams(connection, JSON.parse(shiftTimestamps(text, byMs)) as KeptStream[]);
  await connection.close();
  await recordCreationTimes(servers.postgresUrl, made);
}

async function moveArchive(file: string, directory: string, byMs: number): Promise<string> {
  const moved = join(directory, 'rows.backup');
  const writer = await ArchiveWriter.create(moved);
  for await (const part of readArchive(file))
    await writer.addText(shiftTimestamps(JSON.stringify(part), byMs));
  await writer.finish();
  return moved;
}

/** The migrations of the release, which are never edited: today's, without those that came later. */
async function migrationsUpTo({ migrations }: SnapshotFacts, directory: string): Promise<string> {
  const servicesDir = join(directory, 'services');
  for (const service of servicesWithSchema) {
    const folder = join(servicesDir, service, 'migrations');
    await cp(join(root, 'services', service, 'migrations'), folder, { recursive: true });
    const entries = migrationsOf(servicesDir, service).filter(({ tag }) => `${service}/${tag}` in migrations);
    await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ entries }));
  }
  return servicesDir;
}

/** A stream that was made at another moment is one that lost everything. */
async function recordCreationTimes(url: string, made: ReadonlyMap<string, string>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const service of servicesWithSchema)
    for (const [name, createdAt] of made)
      await client.query(`update ${service}.streams set created_at = $2 where name = $1`, [name, createdAt]);
  await client.end();
}
