#!/usr/bin/env node
/** `botyard`: agents, tools, bots, access rules and test sets as files. */
import { ApiError } from '@botyard/client/api-error';
import { Command, InvalidArgumentError } from 'commander';
import { CliError } from './cli-error.ts';
import { diff } from './commands/diff.ts';
import { login } from './commands/login.ts';
import type { Project } from './commands/project.ts';
import { pull } from './commands/pull.ts';
import { push } from './commands/push.ts';
import { release } from './commands/release.ts';
import { test } from './commands/test.ts';
import { connect, originOf, type Place } from './connection/connect.ts';
import { printable } from './output/printable.ts';

const { env } = process;
const write = (text: string) => void process.stdout.write(printable(text));

const program = new Command('botyard')
  .description('Keeps the agents of a tenant as files: pull them, change them, push them.')
  .option('--url <address>', 'the installation (default: BOTYARD_URL, or http://localhost:3001)')
  .option('--tenant <id>', 'the tenant (default: BOTYARD_TENANT, or your active one)')
  .showHelpAfterError('(botyard --help shows what there is)')
  .addHelpText(
    'after',
    '\nWithout a sign-in, BOTYARD_TOKEN is an access token. A local installation in development mode needs none.' +
      '\nExit codes: 0 done; 1 differences, conflicts or an error; 2 a wrong command line.',
  );

const place = () => program.opts<Place>();
const inFolder = 'the folder';

const project = async (folder: string): Promise<Project> => {
  const { api, tenantId } = await connect(place(), env);
  return { api, tenantId, folder };
};

program
  .command('login')
  .description('sign in with a browser; the token is kept for this installation')
  .option('--client-id <id>', 'a client of the identity provider, if it registers none')
  .option('--no-browser', 'only print the address')
  .action(async ({ clientId, browser }: { clientId?: string; browser: boolean }) => {
    await login({ origin: originOf(place(), env), clientId, opensBrowser: browser, env, write });
  });

program
  .command('pull')
  .description("bring the tenant's state into a folder; files that you changed stay")
  .argument('[folder]', inFolder, '.')
  .option('--force', 'also replace files that you changed')
  .action(async (folder: string, { force = false }: { force?: boolean }) => {
    process.exitCode = await pull(await project(folder), { isForced: force, write });
  });

program
  .command('diff')
  .description('show how the folder differs from the tenant; exit code 1 if it does')
  .argument('[folder]', inFolder, '.')
  .action(async (folder: string) => {
    process.exitCode = await diff(await project(folder), write);
  });

interface Pushing {
  dryRun?: boolean;
  draft?: boolean;
  prune?: boolean;
  replaceDrafts?: boolean;
  note?: string;
  override?: string;
}

program
  .command('push')
  .description("bring the folder's changes into the tenant")
  .argument('[folder]', inFolder, '.')
  .option('--dry-run', 'only show what would change')
  .option('--draft', 'only save agents as drafts, which answer nobody')
  .option('--prune', 'delete in the tenant what you removed from the folder')
  .option('--replace-drafts', 'replace drafts that are not live')
  .option('--note <text>', 'what changed and why; new versions keep it')
  .option('--override <reason>', 'go live in spite of the tests that an agent requires; it is audited')
  .action(async (folder: string, options: Pushing) => {
    process.exitCode = await push(await project(folder), {
      isDryRun: options.dryRun ?? false,
      isDraft: options.draft ?? false,
      prunes: options.prune ?? false,
      replacesDrafts: options.replaceDrafts ?? false,
      note: options.note,
      overrideReason: options.override,
      write,
    });
  });

program
  .command('test')
  .description('run test sets of the tenant; exit code 1 if a case got worse')
  .argument('[sets...]', 'names of sets (default: all)')
  .option('--draft', 'test drafts in place of what is live')
  .option('--junit <file>', 'write a report for build servers')
  .action(async (sets: string[], { draft = false, junit }: { draft?: boolean; junit?: string }) => {
    const { api } = await connect(place(), env);
    process.exitCode = await test(api, { sets, isDraft: draft, junit, write });
  });

const whole = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('a whole number is needed.');
  return Number(text);
};

interface Releasing {
  version?: number;
  draft?: boolean;
  share?: number;
  withdraw?: boolean;
  promote?: boolean;
  reason?: string;
}

program
  .command('release')
  .description('let a version of an agent answer a share of its sessions, or show or end that')
  .argument('<agent>', 'the name of the agent')
  .option('--version <number>', 'start a release of this version', whole)
  .option('--draft', 'start a release of the draft, which becomes a version')
  .option('--share <percent>', 'of the sessions that begin from now on (default: 5)', whole)
  .option('--withdraw', 'end it: the live version answers everywhere')
  .option('--promote', 'end it: the candidate becomes live')
  .option('--reason <text>', 'why it ends')
  .action(async (agent: string, { withdraw, promote, ...options }: Releasing) => {
    if (withdraw && promote) throw new CliError('choose --withdraw or --promote', 2);
    if (options.draft && options.version !== undefined) throw new CliError('choose --version or --draft', 2);
    const ends = withdraw ? 'withdraw' : promote ? 'promote' : undefined;
    const { api } = await connect(place(), env);
    await release(api, { agent, ends, ...options, write });
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CliError || error instanceof ApiError)) throw error;
  process.stderr.write(printable(`botyard: ${error.message}\n`));
  process.exitCode = error instanceof CliError ? error.exitCode : 1;
}
