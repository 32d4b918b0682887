/**
 * What an installation without the launcher needs before its services start:
 *
 * - `node tools/deploy/main.ts settings`: makes the secrets, once, and writes what every service and server reads
 *   into `SETTINGS_DIR`: `<service>/env`, `nats/nats-server.json`, `postgres/password`.
 * - `node tools/deploy/main.ts migrate`: brings the database at `DATABASE_URL` up to date, and its logins.
 * - `node tools/deploy/main.ts backup <file>` and `restore <file> [--replace]`: database and files of mails in one archive.
 * - `node tools/deploy/main.ts migrated <service>`: waits until that was done for this version. It reads the service's
 *   own `DATABASE_URL`.
 */

import { fileURLToPath } from 'node:url';
import { readConfig } from '@botyard/shared/config/config';
import { migrateAll } from '@botyard/shared/db/migrate';
import { loadSecrets } from '../launcher/settings/secrets.ts';
import { runBackup, runRestore } from './backup/commands.ts';
import { DeployConfig, ownerUrl } from './config.ts';
import { waitForMigrations } from './wait-for-migrations.ts';
import { writeSettings } from './write-settings.ts';

const servicesDir = fileURLToPath(new URL('../../services', import.meta.url));
const commands: Readonly<Record<string, (...args: string[]) => Promise<void>>> = {
  settings: async () => {
    await writeSettings(readConfig(DeployConfig, process.env), process.env);
  },
  migrate: async () => {
    const config = readConfig(DeployConfig, process.env);
    const secrets = await loadSecrets(config.SETTINGS_DIR);
    const passwords = secrets.postgres as Parameters<typeof migrateAll>[0]['passwords'];
    const readerPassword = secrets.postgres.reader;
    await migrateAll({ ownerUrl: ownerUrl(config, secrets), servicesDir, passwords, readerPassword });
  },
  backup: async (file) => await runBackup(file, servicesDir, process.env),
  restore: async (...args) => await runRestore(args, servicesDir, process.env),
  migrated: async (service = '') => await waitForMigrations(service, { servicesDir, env: process.env }),
};

const [command = '', ...args] = process.argv.slice(2);
try {
  const run = commands[command];
  if (!run) throw new Error(`say one of: ${Object.keys(commands).join(', ')}`);
  await run(...args);
  console.log(`${command}: done`);
} catch (error) {
  console.error(`${command || 'deploy'}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
