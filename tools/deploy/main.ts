/**
 * What an installation without the launcher needs before its services start:
 *
 * - `node tools/deploy/main.ts settings`: makes the secrets, once, and writes what every service and server reads
 *   into `SETTINGS_DIR`: `<service>/env`, `nats/nats-server.json`, `postgres/password`.
 * - `node tools/deploy/main.ts migrate`: brings the database at `DATABASE_URL` up to date, and its logins.
 */

import { fileURLToPath } from 'node:url';
import { readConfig } from '@botyard/shared/config/config';
import { migrateAll } from '@botyard/shared/db/migrate';
import { loadSecrets } from '../launcher/settings/secrets.ts';
import { DeployConfig, ownerUrl } from './config.ts';
import { writeSettings } from './write-settings.ts';

const [command] = process.argv.slice(2);

try {
  const config = readConfig(DeployConfig, process.env);
  const secrets = await loadSecrets(config.SETTINGS_DIR);
  if (command === 'settings') await writeSettings(config, secrets, process.env);
  else if (command === 'migrate') {
    const servicesDir = fileURLToPath(new URL('../../services', import.meta.url));
    const passwords = secrets.postgres as Parameters<typeof migrateAll>[0]['passwords'];
    const readerPassword = secrets.postgres.reader;
    await migrateAll({ ownerUrl: ownerUrl(config, secrets), servicesDir, passwords, readerPassword });
  } else throw new Error('say settings or migrate');
  console.log(`${command}: done`);
} catch (error) {
  console.error(`${command ?? 'deploy'}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
