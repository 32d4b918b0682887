/**
 * `npm run faults [-- o-01 f-25 …]`: the proofs of order and of crashes at their full size, over real processes with the
 * fake platforms. Without a name all of them; the counts are printed. `npm test` runs them at a smaller size.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = process.argv.slice(2).map((name) => name.toUpperCase());
const strange = names.find((name) => !/^[A-Z]-\d\d$/.test(name));
if (strange) {
  console.error(`${strange} is no name of a proof, such as o-01 or f-25`);
  process.exit(2);
}

const only = names.length > 0 ? ['-t', `(${names.join('|')})`] : [];
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
// One file after the other: they would take each other's time.
const child = spawn(process.execPath, [vitest, 'run', 'test/faults', '--no-file-parallelism', ...only], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NODE_ENV: 'test', BOTYARD_FAULTS: 'full' },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
