import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { within } from '@botyard/shared/work/within';
import { StartError } from './start-error.ts';

export type Log = (line: string) => void;

/** A supervised process. `exited` resolves to the exit code, or to null after a signal. */
export interface RunningProcess {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
  kill(): void;
}

interface Command {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The user to run as. Requires root. */
  account?: { uid: number; gid: number } | undefined;
  /** The name of the Linux network namespace to run in. Requires root. */
  network?: string | undefined;
  /** True to give the child an IPC channel. The channel closes when this process dies. */
  ipc?: boolean;
  /** The signal that ends the child if this process dies without stopping it. */
  orphanSignal: 'INT' | 'TERM';
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/** The address of a server. */
export interface Place {
  host: string;
  /** The server's network namespace. */
  network?: string | undefined;
}

export const loopback: Place = { host: '127.0.0.1' };

export interface GuardedProcess {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Sends the signals in order, with a wait after each, until the process has ended. */
  end(steps: readonly { signal: NodeJS.Signals; waitMs: number }[]): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

const guardScript = fileURLToPath(new URL('guard.sh', import.meta.url));

/**
 * Starts a process in its own session, so that Ctrl-C reaches only the launcher, which then stops everything in order.
 * A small guard process ends the child if this process dies by SIGKILL.
 */
export function spawnGuarded(command: Command): GuardedProcess {
  const { file, args, account } = inNetwork(command);
  const child = spawn(file, args, {
    cwd: command.cwd,
    env: command.env as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(command.ipc ? (['ipc'] as const) : [])],
    ...account,
  });
  let spawnFault: Error | undefined;
  child.on('error', (error) => {
    spawnFault = error;
  });
  const { pid } = child;
  if (pid === undefined) throw new StartError(`${command.file} can't be started${faultSuffix(spawnFault)}`);
  const guard = startGuard(pid, command.orphanSignal);
  readLines(child.stdout, (line) => command.onLine(line, 'stdout'));
  readLines(child.stderr, (line) => command.onLine(line, 'stderr'));
  const exited = exitOf(child);
  child.once('exit', () => guard.stdin?.end('ended\n'));
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(name);
  };
  return { pid, exited, signal, end: (steps) => endProcess({ exited, signal }, steps) };
}

/** `nsenter` replaces itself with the process. It needs root to enter, so it also changes the user. */
function inNetwork({ file, args, account, network }: Command): Pick<Command, 'file' | 'args' | 'account'> {
  if (network === undefined) return { file, args, account };
  const user = account ? [`--setuid=${account.uid}`, `--setgid=${account.gid}`] : [];
  return { file: 'nsenter', args: [`--net=/run/netns/${network}`, ...user, '--', file, ...args] };
}

async function endProcess(
  process: Pick<GuardedProcess, 'exited' | 'signal'>,
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[],
): Promise<void> {
  const hasEnded = process.exited.then(() => true);
  for (const { signal, waitMs } of steps) {
    process.signal(signal);
    if (await within(waitMs, hasEnded)) return;
  }
}

function startGuard(pid: number, orphanSignal: string): ChildProcess {
  const guard = spawn('/bin/sh', [guardScript, String(pid), orphanSignal], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  return guard;
}

/** Resolves once the last output is read, or 300 ms after the exit, because grandchildren may keep the pipes open. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      const late = setTimeout(() => resolve(code), 300);
      child.once('close', () => {
        clearTimeout(late);
        resolve(code);
      });
    });
  });
}

function readLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (!stream) return;
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine);
}

function faultSuffix(error: Error | undefined): string {
  return error ? `: ${error.message}` : '';
}
