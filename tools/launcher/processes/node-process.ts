import { type RunningProcess, spawnGuarded } from '../../embedded/guarded-process.ts';
import { compileCacheIn } from './compile-cache.ts';

/** It finishes what runs, and gives up by itself after 24 s. */
const stopWithinMs = 25_000;

interface NodeProcessOptions {
  /** Relative to `cwd`, so that the command line says which service it is. */
  script: string;
  /** The project's folder. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** As of `spawnGuarded`. */
  network?: string | undefined;
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/**
 * Settings that make Linux' C library return memory: large pieces at once, and few arenas, which it never returns. By
 * default it keeps the memory of the start, a sixth of a process's size at rest.
 */
export const givesMemoryBack: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * Young objects get 24 MiB at most. V8 lets them take several times that under load, which saves no processor time. The
 * Dockerfile sets the same.
 */
export const nodeFlags = ['--max-semi-space-size=8'];

/** A process of this project, on the Node that runs the launcher. It hears of our end by its IPC channel. */
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
