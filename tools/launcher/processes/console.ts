import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProcess, spawnGuarded } from '../../embedded/guarded-process.ts';

/** Builds the console in a separate process. It ends at once when the existing build is of these sources. */
export function buildConsole(root: string, say: (line: string) => void): Pick<RunningProcess, 'stop'> {
  // An install without development packages can start everything, but can't build pages.
  if (!existsSync(join(root, 'node_modules/vite'))) {
    say('not built: the development packages are missing');
    return { stop: async () => {} };
  }
  const child = spawnGuarded({
    file: process.execPath,
    args: ['console/build/main.ts'],
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
    orphanSignal: 'TERM',
    onLine: say,
  });
  return {
    stop: () =>
      child.end([
        { signal: 'SIGTERM', waitMs: 1000 },
        { signal: 'SIGKILL', waitMs: 1000 },
      ]),
  };
}
