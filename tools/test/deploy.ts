/**
 * `npm run test:deploy`: runs the tests of deployments, in containers and with the distribution's servers. Tests of
 * containers need a Docker Engine, tests of servers need root, and tests of full disks need the right to mount. Tests
 * without their requirements are skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnDisk } from '../../test/deploy/support/own-disk.ts';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { passedOn, vitestArguments, vitestOptions } from './command-line.ts';
import { installS3Server } from './s3-server.ts';

const commandLine = {
  name: 'npm run test:deploy',
  about:
    'Tests what operators run, in containers and with servers of the distribution; the last lines say what was left out and why. BOTYARD_DOCKER names the command of a Docker Engine (default: docker), BOTYARD_DOCKER_RESTART a command that restarts it.',
  arguments: [
    {
      name: 'path',
      about: 'Runs the tests whose path has one of these.',
      takesMany: true,
      otherwise: 'all of them',
    },
  ],
  options: vitestOptions,
  passedOn,
  examples: [
    { command: 'npm run test:deploy -- test/deploy/servers/upgrade.test.ts', about: 'one file' },
    {
      command: "BOTYARD_DOCKER_RESTART='systemctl restart docker' npm run test:deploy",
      about: 'also what happens when the engine is started again',
    },
  ],
} as const satisfies CommandLine;
const root = join(import.meta.dirname, '..', '..');
const files = globSync('test/deploy/**/*.test.ts', { cwd: root });
const request = readCommandLine(commandLine, (args) => {
  const parsed = parseCommandLine(commandLine, args);
  const unknown = parsed.arguments.find((path) => !files.some((file) => file.includes(path)));
  if (unknown === undefined) return parsed;
  throw new CommandLineError(`no test in test/deploy has ${JSON.stringify(unknown)} in its path`);
});
const docker = process.env.BOTYARD_DOCKER || 'docker';
const answers = (args: readonly string[]) =>
  spawnSync(docker, args, { cwd: root, stdio: 'ignore', timeout: 20_000 }).status === 0;
const hasEngine = answers(['info']) && answers(['compose', 'version']);

/** Skips a test that needs a Debian server that isn't installed. */
const needing = (server: string, test: string) =>
  existsSync(`/usr/sbin/${server}`)
    ? []
    : [{ paths: `test/deploy/servers/${test}.test.ts`, reason: `there is no /usr/sbin/${server}` }];

/** Returns the reason why disks can't be mounted. Most containers are not allowed to mount. */
async function whyNoDisk(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'botyard-disk-'));
  try {
    await (await OwnDisk.mountAt(join(folder, 'disk'))).unmount();
    return undefined;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n')[0];
    return `no disk can be mounted here: ${said || (error as Error).message}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const noDisk = isRoot ? await whyNoDisk() : undefined;

/** The tests that can't run on this machine, with the reasons. */
const leftOut: readonly { paths: string; reason: string }[] = [
  ...(hasEngine
    ? []
    : [{ paths: 'test/deploy/containers/**', reason: `no Docker Engine answers to \`${docker}\`` }]),
  ...(process.env.BOTYARD_DOCKER_RESTART
    ? []
    : [
        {
          paths: 'test/deploy/containers/engine-restarted.test.ts',
          reason: 'BOTYARD_DOCKER_RESTART names no command that restarts the engine',
        },
      ]),
  ...(isRoot
    ? []
    : [{ paths: 'test/deploy/servers/**', reason: 'they mount disks and start servers as root, on Linux' }]),
  ...(noDisk ? [{ paths: 'test/deploy/servers/full-disk.test.ts', reason: noDisk }] : []),
  ...needing('haproxy', 'rolling'),
  ...needing('haproxy', 'failover'),
  ...needing('pgbouncer', 'pgbouncer'),
  ...(installS3Server()
    ? []
    : [{ paths: 'test/deploy/servers/s3.test.ts', reason: "npm can't fetch the S3 server `s3rver`" }]),
];
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const config = join(root, 'vitest.deploy.config.ts');
const started = Date.now();
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    'run',
    '--config',
    config,
    '--passWithNoTests',
    ...leftOut.flatMap(({ paths }) => ['--exclude', paths]),
    ...vitestArguments(request),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, BOTYARD_TEST_STARTED_AT: String(started) } },
);
for (const { paths, reason } of leftOut) console.log(`left out: ${paths}: ${reason}`);
process.exitCode = status ?? 1;
