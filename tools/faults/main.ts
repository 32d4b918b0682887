/**
 * `npm run faults [-- o-01 f-25 p1 …]`: the proofs of order and of crashes at their full size, over real processes with the
 * fake platforms. Without a name all of them; the counts are printed. `npm test` runs them at a smaller size.
 * `npm run faults -- mix [--minutes 10] [--seed N]`: everything at once, by chance; the seed is printed and repeats it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './read-arguments.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const wanted = readArguments(process.argv.slice(2));
if ('fault' in wanted) {
  console.error(wanted.fault);
  process.exit(2);
}

const { names, minutes, seed } = wanted;
if (names.length === 0 || names.includes('mix')) console.log(`mix: ${minutes} minutes, --seed ${seed}`);
const only = names.length > 0 ? ['-t', `\\b(${names.join('|')})\\b`] : [];
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
// One file after the other: they would take each other's time.
const child = spawn(process.execPath, [vitest, 'run', 'test/faults', '--no-file-parallelism', ...only], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_ENV: 'test',
    BOTYARD_FAULTS: 'full',
    BOTYARD_MIX_MINUTES: String(minutes),
    BOTYARD_MIX_SEED: String(seed),
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
