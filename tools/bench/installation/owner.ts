import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { loadSecrets } from '../../launcher/settings/secrets.ts';
import type { Cleanup } from '../cleanup.ts';

/** Connects as the owner to the embedded database of a running installation. */
export async function connectAsOwner(dataDir: string, cleanup: Cleanup): Promise<pg.Client> {
  const { ownerPassword } = await loadSecrets(dataDir);
  const pidFile = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  const owner = new pg.Client({
    host: '127.0.0.1',
    port: Number(pidFile.split('\n')[3]),
    user: 'botyard_owner',
    password: ownerPassword,
    database: 'botyard',
  });
  await owner.connect();
  await cleanup.add(() => owner.end());
  return owner;
}
