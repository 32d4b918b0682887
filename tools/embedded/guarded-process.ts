import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { within } from '@botyard/shared/work/within';
import { StartError } from './start-error.ts';

export type Log = (line: string) => void;

/** Interface of every kind of supervised process. `exited` is the exit code, or null after a signal. */
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
  /** Another user to run as; only root can. */
  account?: { uid: number; gid: number } | undefined;
  /** A network namespace of Linux to run in, by its name; only root can. */
  network?: string | undefined;
  /** Whether the child gets an IPC channel, whose end tells it that this process died. */
  ipc?: boolean;
  /** The signal for the child if this process dies without stopping it. */
  orphanSignal: 'INT' | 'TERM';
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/** A server's address. */
export interface Place {
  host: string;
  /** Its network namespace. */
  network?: string | undefined;
}

export const loopback: Place = { host: '127.0.0.1' };

export interface GuardedProcess {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Sends the signals in turn, waiting after each, until the process has ended. */
  end(steps: readonly { signal: NodeJS.Signals; waitMs: number }[]): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

const guardScript = fileURLToPath(new URL('guard.sh', import.meta.url));

/**
 * Starts a process in a session of its own, so that Ctrl-C reaches only the launcher, which then stops everything in
 * order. A guard of a few hundred kilobytes ends it when this process dies by SIGKILL.
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

/** `nsenter` becomes the process itself. It needs root for entering, so it changes the user. */
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

/** Resolves once the last output was read; at most a moment after the end, because grandchildren may hold the pipes. */
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
