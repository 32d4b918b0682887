import { type RunningProcess, spawnGuarded } from '../../embedded/guarded-process.ts';
import { compileCacheIn } from './compile-cache.ts';

/** A service finishes its work in progress on SIGTERM, and gives up after 24 s. */
const stopWithinMs = 25_000;

interface NodeProcessOptions {
  /** Relative to `cwd`, so that the command line names the service. */
  script: string;
  /** The project's folder. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** As for `spawnGuarded`. */
  network?: string | undefined;
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/**
 * Settings that make the Linux C library return memory. Large blocks are returned immediately, and there are few
 * arenas, which are never returned. By default it keeps the memory of the start, a sixth of the size of an idle
 * process.
 */
export const givesMemoryBack: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * Limits the space for young objects to 24 MiB. By default V8 uses several times that under load, which saves no
 * processor time. The Dockerfile sets the same limit.
 */
export const nodeFlags = ['--max-semi-space-size=8'];

/** Starts a process of this project on the launcher's Node. Its IPC channel closes when the launcher dies. */
export function startNodeProcess({ script, cwd, env, network, onLine }: NodeProcessOptions): RunningProcess {
  const child = spawnGuarded({
    file: process.execPath,
    args: [...nodeFlags, script],
    cwd,
    env: { ...givesMemoryBack, NODE_COMPILE_CACHE: compileCacheIn(cwd), ...env },
    network,
    ipc: true,
    orphanSignal: 'TERM',
    onLine,
  });
  return {
    pid: child.pid,
    exited: child.exited,
    stop: () =>
      child.end([
        { signal: 'SIGTERM', waitMs: stopWithinMs },
        { signal: 'SIGKILL', waitMs: 1000 },
      ]),
    kill: () => child.signal('SIGKILL'),
  };
}
