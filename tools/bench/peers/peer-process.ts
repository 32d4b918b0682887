import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../rig/cleanup.ts';

const readyWithinMs = 20_000;

export interface PeerProcess {
  pid: number;
  port: number;
  /** Sends a message and resolves to the peer's next message. */
  ask(word: string): Promise<unknown>;
}

/** Starts one of the programs in this folder. */
export async function startPeer(
  name: string,
  { cleanup, env = {} }: { cleanup: Cleanup; env?: Readonly<Record<string, string>> },
): Promise<PeerProcess> {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const child = fork(script, {
    execArgv: [],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await cleanup.add(() => end(child));
  const ready = await Promise.race([
    once(child, 'message', { signal: AbortSignal.timeout(readyWithinMs) }),
    once(child, 'exit').then(() => undefined),
  ]);
  const { port } = (ready?.[0] ?? {}) as { port?: number };
  if (!port || !child.pid) throw new Error(`the peer ${name} did not start`);
  const ask = async (word: string): Promise<unknown> => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(readyWithinMs) });
    child.send(word);
    return (await answered)[0];
  };
  return { pid: child.pid, port, ask };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
