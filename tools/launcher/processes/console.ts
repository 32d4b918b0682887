import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProcess, spawnGuarded } from '../../embedded/guarded-process.ts';

/** Builds the console in a separate process. It exits immediately if the existing build is up to date. */
export function buildConsole(root: string, say: (line: string) => void): Pick<RunningProcess, 'stop'> {
  // An install without development packages can start Botyard, but can't build the console.
  if (!existsSync(join(root, 'node_modules/vite'))) {
    say('not built: the development packages are missing. Run npm ci to install them');
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
