/** Prepares an installation without the launcher, and makes its backups. `--help` lists the commands. */
import { fileURLToPath } from 'node:url';
import { readConfig } from '@botyard/shared/config/config';
import { migrateAll } from '@botyard/shared/db/migrate';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { loadSecrets } from '../launcher/settings/secrets.ts';
import { runBackup, runRestore, runRestoreFiles } from './backup/commands.ts';
import { commandLine, type DeployArguments, readDeployArguments } from './command-line.ts';
import { DeployConfig, ownerUrl } from './config.ts';
import { moveStreams } from './move-streams.ts';
import { waitForMigrations } from './wait-for-migrations.ts';
import { writeSettings } from './write-settings.ts';

const servicesDir = fileURLToPath(new URL('../../services', import.meta.url));
const { command, ...given } = readCommandLine(commandLine, readDeployArguments);
const commands: Readonly<Record<DeployArguments['command'], () => Promise<void>>> = {
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
  backup: async () => await runBackup(given.file, servicesDir, process.env),
  'restore-files': async () => await runRestoreFiles(given.file, servicesDir, process.env),
  streams: async () => await moveStreams(given.file, process.env),
  restore: async () => await runRestore(given, servicesDir, process.env),
  migrated: async () => await waitForMigrations(given.service, { servicesDir, env: process.env }),
};

try {
  await commands[command]();
  console.log(`${command}: done`);
} catch (error) {
  console.error(`${command}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
