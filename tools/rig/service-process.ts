import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@botyard/testing/eventually';
import type { Cleanup } from './cleanup.ts';

/** The project's own directory. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
const readyWithinMs = 20_000;
const stopWithinMs = 15_000;

/** Starts one service as a process. Its log is read and discarded. Resolves when it is ready. */
export async function startServiceProcess(
  name: string,
  {
    env,
    port,
    cleanup,
    checkout = root,
  }: {
    env: Readonly<Record<string, string | undefined>>;
    port: number;
    cleanup: Cleanup;
    /** The checkout to run. Defaults to this one. */
    checkout?: string | undefined;
  },
): Promise<number> {
  const child = spawn(process.execPath, [`services/${name}/src/main.ts`], {
    cwd: checkout,
    env: { ...env, SERVICE_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  const ended = once(child, 'exit');
  await cleanup.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await ended;
    clearTimeout(force);
  });
  const state = await eventually(
    `${name} is ready`,
    async () => (child.exitCode === null ? (await isReady(port)) && 'ready' : 'ended'),
    { timeoutMs: readyWithinMs },
  );
  if (state === 'ended') throw new Error(`${name} ended instead of starting`);
  return child.pid ?? 0;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
