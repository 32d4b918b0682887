import { connect } from 'node:net';
import { spawnGuarded } from '../../embedded/guarded-process.ts';
import { waitUntil } from '../../embedded/wait-until.ts';
import type { Cleanup } from '../cleanup.ts';

interface ForeignProgram {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  cleanup: Cleanup;
  /** Resolves to true once the program is ready. */
  isReady: () => Promise<boolean>;
  readyWithinMs?: number;
}

/** Starts a third-party program. Resolves once it is ready. @throws Error with its last output. */
export async function startForeign(program: ForeignProgram): Promise<{ pid: number; stop(): Promise<void> }> {
  const { file, args, cwd, env, cleanup, isReady, readyWithinMs = 20_000 } = program;
  const last: string[] = [];
  const onLine = (line: string) => {
    last.push(line);
    if (last.length > 10) last.shift();
  };
  const child = spawnGuarded({
    file,
    args,
    cwd,
    env: { PATH: process.env.PATH, ...env },
    orphanSignal: 'TERM',
    onLine,
  });
  const stop = () =>
    child.end([
      { signal: 'SIGTERM', waitMs: 8000 },
      { signal: 'SIGKILL', waitMs: 1000 },
    ]);
  await cleanup.add(stop);
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  const state = await waitUntil(async () => (hasEnded ? 'ended' : (await isReady()) ? 'ready' : undefined), {
    timeoutMs: readyWithinMs,
  });
  if (state !== 'ready') {
    await stop();
    throw new Error(
      `it ${state === 'ended' ? 'exited during the start' : 'was not ready in time'}: ${last.join(' / ')}`,
    );
  }
  return { pid: child.pid, stop };
}

/** Resolves to true if a process listens on the port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  const isOpen = await promise;
  socket.destroy();
  return isOpen;
}
