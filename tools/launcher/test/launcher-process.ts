import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isAlive } from '../../embedded/test/temporary.ts';
import { waitUntil } from '../../embedded/wait-until.ts';

const testLauncher = fileURLToPath(new URL('fixtures/services-root/launcher.ts', import.meta.url));

export interface LauncherProcess {
  child: ChildProcess;
  output(): string;
  /** Exit code, null after a signal. */
  exited: Promise<number | null>;
}

/** A launcher as a process of its own, over small stand-ins for the six services; Postgres and nats-server are real. */
export function spawnLauncher(dataDir: string, env: Readonly<Record<string, string>> = {}): LauncherProcess {
  const child = spawn(process.execPath, [testLauncher], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', PORT: '0', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const exited = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { child, exited, output: () => text };
}

export interface RunFile {
  gatewayUrl: string;
  pids: Record<string, number>;
}

export function readRunFile(dataDir: string): RunFile | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}

/** Waits until everything is up. */
export async function untilUp(launcher: LauncherProcess, dataDir: string): Promise<RunFile> {
  const run = await until(() => (launcher.child.exitCode === null ? readRunFile(dataDir) : undefined));
  if (!run) throw new Error(`not up: ${launcher.output()}`);
  return run;
}

export async function until<Value>(
  ask: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value | undefined> {
  return await waitUntil(ask, { timeoutMs: 60_000 });
}

export async function untilAllGone(pids: readonly number[]): Promise<number[]> {
  await until(() => (pids.some(isAlive) ? undefined : true));
  return pids.filter(isAlive);
}
