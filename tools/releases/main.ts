/**
 * `npm run releases`: sends 200 streams of sessions through the database and the code that withdraws candidates, prints
 * the figures of docs/releases.md, and draws its picture.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandLine } from '../command-line/command-line.ts';
import { readCommandLine } from '../command-line/read-command-line.ts';

const commandLine = {
  name: 'npm run releases',
  about:
    'Sends 200 streams of sessions through the database and the code that withdraws candidates, prints the figures of docs/releases.md, and draws its picture.',
  options: {
    streams: {
      type: 'number',
      about: 'The number of streams of each kind. The picture is drawn with 200 only.',
      min: 1,
      max: 200,
      isWhole: true,
      default: 200,
    },
  },
  examples: [
    { command: 'npm run releases', about: 'all streams, and the picture' },
    { command: 'npm run releases -- --streams 10', about: 'the first ten of each kind' },
  ],
} as const satisfies CommandLine;

const { streams } = readCommandLine(commandLine).options;
const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', 'services/agents/test/releases/streams.test.ts', '--disable-console-intercept'];
const env = { ...process.env, NODE_ENV: 'test', BOTYARD_STREAMS: String(streams) };
const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
