import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../embedded/free-port.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Groups } from '../measure/processes.ts';
import { root } from './root.ts';

const upWithinMs = 90_000;
const pollEveryMs = 10;

/** All of Botyard, as `npm start` runs it. */
export interface Installation {
  dataDir: string;
  gatewayUrl: string;
  gatewayPort: number;
  /** The process IDs of the launcher and of the processes that it started, by name. */
  pids: Groups;
  healthySeconds: number;
  /** The seconds until the demo exists. */
  seededSeconds: number;
  stop(): Promise<void>;
}

interface InstallationOptions {
  dataDir: string;
  cleanup: Cleanup;
  env?: Readonly<Record<string, string>>;
  /** The checkout to run. Defaults to this one. */
  checkout?: string | undefined;
}

interface RunFile {
  pids: Groups;
}

export async function startInstallation({
  dataDir,
  cleanup,
  env = {},
  checkout = root,
}: InstallationOptions): Promise<Installation> {
  const gatewayPort = await freePort();
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`;
  const begin = performance.now();
  const launcher = spawnLauncher(checkout, { PORT: String(gatewayPort), DATA_DIR: dataDir, ...env });
  const stop = () => end(launcher.child);
  await cleanup.add(stop);
  const secondsUntil = async (ask: () => Promise<boolean>): Promise<number> => {
    while (!(await ask())) {
      const isLate = performance.now() - begin > upWithinMs;
      if (isLate || launcher.child.exitCode !== null)
        throw new Error(`Botyard doesn't start: ${launcher.output()}`);
      await pause(pollEveryMs);
    }
    return (performance.now() - begin) / 1000;
  };
  const healthySeconds = await secondsUntil(() => isHealthy(gatewayUrl));
  const seededSeconds = await secondsUntil(async () => readRunFile(dataDir) !== undefined);
  const pids = readRunFile(dataDir)?.pids ?? {};
  return { dataDir, gatewayUrl, gatewayPort, pids, healthySeconds, seededSeconds, stop };
}

function spawnLauncher(
  cwd: string,
  env: Readonly<Record<string, string>>,
): { child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, ['tools/launcher/main.ts'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'development',
      AUTH_DEV_MODE: 'true',
      // Makes the launcher stop when this process ends, as it does when npm ends.
      npm_lifecycle_event: 'bench',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-4000);
    });
  }
  return { child, output: () => text };
}

async function isHealthy(gatewayUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${gatewayUrl}/api/health`, { signal: AbortSignal.timeout(2000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Reads the file that the launcher writes once everything is up and the demo, if there is one, exists. */
function readRunFile(dataDir: string): RunFile | undefined {
  try {
    const { pids } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
    return { pids: Object.fromEntries(Object.entries(pids).filter(([, pid]) => pid !== undefined)) };
  } catch {
    return undefined;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
