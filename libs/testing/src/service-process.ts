import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { within } from '@botyard/shared/work/within';

export interface ServiceProcess {
  url: string;
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Its last log lines, from the level `info` on. */
  logLines: readonly string[];
  /** Kills, pauses (`SIGSTOP`) or resumes (`SIGCONT`) it. */
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const maxLogLines = 5000;
/** Longer than a service's own limit. */
const endWithinMs = 120_000;

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Node compiles a file once for all tests. */
export const compileCache = { NODE_COMPILE_CACHE: `${root}node_modules/.cache/compile` };

/** Starts a service in its own process, on its own port, with only these settings. */
export async function startServiceProcess(
  service: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [`${root}services/${service}/src/main.ts`], {
    // The channel closes when this process ends, so that the service also ends if it was never stopped.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...compileCache, ...env, SERVICE_PORT: '0', LOG_LEVEL: 'info' },
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const logLines: string[] = [];
  const port = await Promise.race([
    portOf(child, logLines),
    ended.then(({ code }) => {
      throw new Error(`${service} ended with ${code} instead of starting`);
    }),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    ended,
    logLines,
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGTERM');
      // A paused process receives the message when it continues.
      child.kill('SIGCONT');
      await endOrKill(child, ended);
    },
  };
}

/** @throws Error if it has to be killed, as by a supervisor. */
async function endOrKill(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const hasEnded = ended.then(() => true);
  if (await within(endWithinMs, hasEnded)) return;
  child.kill('SIGKILL');
  throw new Error(`process ${child.pid} did not end within ${endWithinMs} ms of SIGTERM: ${child.spawnargs}`);
}

/** The port in the service's start log line; the log is kept. */
async function portOf(child: ChildProcess, logLines: string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    logLines.push(line);
    if (logLines.length > maxLogLines) logLines.shift();
    const [, port] = /"port":(\d+).*"msg":"started"/.exec(line) ?? [];
    if (port) resolve(Number(port));
  });
  return await promise;
}
