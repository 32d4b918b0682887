import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';

const commands = [
  'settings',
  'migrate',
  'backup',
  'restore',
  'restore-files',
  'streams',
  'migrated',
] as const;

export interface DeployArguments {
  command: (typeof commands)[number];
  /** The archive of `backup`, `restore` and `restore-files`, or the folder of `streams`. */
  file: string;
  /** For `restore`. */
  replaces: boolean;
  /** For `migrated`. */
  service: string;
}

export const commandLine = {
  name: 'node tools/deploy/main.ts',
  about:
    'Prepares an installation without the launcher, and makes and restores its backups. Its settings are environment variables (docs/operations.md).',
  arguments: [
    {
      name: 'command',
      about:
        '"settings" creates the secrets once, and writes the settings of services and servers to SETTINGS_DIR. "migrate" migrates the database at DATABASE_URL and updates its logins. "backup" writes the database and the files of emails to one archive; "restore" restores them. "restore-files" restores only the files that are missing. "streams" moves the streams of a stopped nats-server from the account that all services shared to accounts of their own. "migrated" waits until the database at DATABASE_URL has the migrations that this version of a service needs.',
      values: commands,
      isRequired: true,
    },
    {
      name: 'what',
      about: `The archive for "backup", "restore" and "restore-files", the store folder for "streams", or the service for "migrated": ${servicesWithSchema.join(', ')}.`,
    },
  ],
  options: {
    replace: { type: 'flag', about: 'Replaces the existing installation (restore only).' },
  },
  examples: [
    {
      command: 'SETTINGS_DIR=/etc/botyard node tools/deploy/main.ts settings',
      about: 'before the first start, and before each new version',
    },
    {
      command: 'node tools/deploy/main.ts restore /backups/botyard --replace',
      about: 'an archive that replaces the existing installation',
    },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the reason in one line. */
export function readDeployArguments(args: readonly string[]): DeployArguments {
  const { options, arguments: given } = parseCommandLine(commandLine, args);
  const [name, what] = given;
  const command = commands.find((one) => one === name) ?? 'settings';
  const takesFile = command !== 'settings' && command !== 'migrate' && command !== 'migrated';
  const needed = command === 'streams' ? 'store folder' : 'archive';
  if (takesFile && !what) throw new CommandLineError(`${command} needs the path of the ${needed}`);
  if (command === 'migrated' && !servicesWithSchema.some((service) => service === what))
    throw new CommandLineError(`${command} needs a service: one of ${servicesWithSchema.join(', ')}`);
  if (!takesFile && command !== 'migrated' && what !== undefined)
    throw new CommandLineError(`${command} takes no argument`);
  if (options.replace && command !== 'restore')
    throw new CommandLineError('--replace applies only to restore');
  return { command, file: what ?? '', service: what ?? '', replaces: options.replace };
}
