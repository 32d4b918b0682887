/**
 * `npm run faults`: runs the ordering and crash tests at full size, with real processes and fake platforms. `npm run
 * test:full` runs them at a smaller size.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { commandLine, hasSeed, readArguments } from './read-arguments.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { names, minutes, seed } = readCommandLine(commandLine, readArguments);
if (hasSeed(names)) console.log(`${minutes} minutes, --seed ${seed}`);
const only = names.length > 0 ? ['-t', `\\b(${names.join('|')})\\b`] : [];
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** The tests of full disks use the deployed servers. Only this command and `npm run test:deploy` run them. */
const ofDisks = ['F-44', 'F-79'];
const triesDisks = names.length === 0 || names.some((name) => ofDisks.includes(name));
const runs = [
  // One file at a time, because they would slow each other down.
  ['test/faults', '--no-file-parallelism'],
  ...(triesDisks ? [['test/deploy/servers/full-disk', '--config', 'vitest.deploy.config.ts']] : []),
];
const env = {
  ...process.env,
  NODE_ENV: 'test',
  BOTYARD_FAULTS: 'full',
  BOTYARD_MIX_MINUTES: String(minutes),
  BOTYARD_MIX_SEED: String(seed),
};
let child: ChildProcess | undefined;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopped = true;
    child?.kill(signal);
  });
for (const args of runs) {
  if (isStopped) break;
  child = spawn(process.execPath, [vitest, 'run', ...args, ...only], { cwd: root, stdio: 'inherit', env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = code ?? 1;
}
