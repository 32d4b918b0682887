import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';

const commands = ['settings', 'migrate', 'backup', 'restore', 'migrated'] as const;

export interface DeployArguments {
  command: (typeof commands)[number];
  /** For `backup` and `restore`. */
  file: string;
  /** For `restore`. */
  replaces: boolean;
  /** For `migrated`. */
  service: string;
}

export const commandLine = {
  name: 'node tools/deploy/main.ts',
  about:
    'Does what an installation without the launcher needs before its services start, and its backups. It reads environment variables (docs/operations.md).',
  arguments: [
    {
      name: 'command',
      about:
        '"settings" makes the secrets, once, and writes what services and servers read into SETTINGS_DIR. "migrate" brings the database at DATABASE_URL up to date, and its logins. "backup" writes database and files of mails into one archive, "restore" brings them back. "migrated" waits until the database at DATABASE_URL has what this version of a service needs.',
      values: commands,
      isRequired: true,
    },
    {
      name: 'what',
      about: `The archive of "backup" and "restore"; the service of "migrated": ${servicesWithSchema.join(', ')}.`,
    },
  ],
  options: {
    replace: { type: 'flag', about: 'Restores in the place of what is there (restore).' },
  },
  examples: [
    {
      command: 'SETTINGS_DIR=/etc/botyard node tools/deploy/main.ts settings',
      about: 'before the first start, and before each new version',
    },
    {
      command: 'node tools/deploy/main.ts restore /backups/botyard --replace',
      about: 'an archive, in the place of what is there',
    },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the fault in one line. */
export function readDeployArguments(args: readonly string[]): DeployArguments {
  const { options, arguments: given } = parseCommandLine(commandLine, args);
  const [name, what] = given;
  const command = commands.find((one) => one === name) ?? 'settings';
  const takesFile = command === 'backup' || command === 'restore';
  if (takesFile && !what) throw new CommandLineError(`${command} takes the file of the archive`);
  if (command === 'migrated' && !servicesWithSchema.some((service) => service === what))
    throw new CommandLineError(`${command} takes a service: one of ${servicesWithSchema.join(', ')}`);
  if (!takesFile && command !== 'migrated' && what !== undefined)
    throw new CommandLineError(`${command} takes no argument`);
  if (options.replace && command !== 'restore') throw new CommandLineError('--replace is for restore');
  return { command, file: what ?? '', service: what ?? '', replaces: options.replace };
}
