import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../embedded/start-error.ts';
import { sharedEnv } from '../settings/service-env.ts';
import type { SandboxPlatform } from '../settings/settings.ts';
import { startNodeProcess } from './node-process.ts';
import type { Unit } from './supervisor.ts';

const readyWithinMs = 15_000;
const Ready = z.object({ ready: z.literal(true), url: z.url() });

interface SandboxOptions {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  port: number;
  /** The gateway's address for people. */
  gatewayUrl: string;
  /** The MCP server for trials, whose address the pages show. */
  toolServerUrl: string | undefined;
  platforms: readonly SandboxPlatform[];
  dataDir: string;
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/** Runs the sandbox platforms as one process. `onReady` receives its address, which stays the same across restarts. */
export function sandboxUnit(options: SandboxOptions, onReady: (url: string) => void): Unit {
  return { name: 'sandbox', start: () => startSandbox(options, onReady) };
}

async function startSandbox(options: SandboxOptions, onReady: (url: string) => void) {
  const ready = Promise.withResolvers<string>();
  const running = startNodeProcess({
    script: 'tools/sandbox/main.ts',
    cwd: options.root,
    env: {
      ...sharedEnv(options.env),
      NODE_ENV: 'development',
      SANDBOX_PORT: String(options.port),
      GATEWAY_URL: options.gatewayUrl,
      SANDBOX_TOOL_SERVER_URL: options.toolServerUrl,
      SANDBOX_PLATFORMS: options.platforms.join(','),
      SANDBOX_DIR: join(options.dataDir, 'sandbox'),
    },
    onLine: (line, from) => {
      const url = from === 'stdout' ? readyUrl(line) : undefined;
      if (url) ready.resolve(url);
      else options.onLine(line, from);
    },
  });
  const late = setTimeout(
    () =>
      ready.reject(
        new StartError(`the sandbox was not ready within ${readyWithinMs / 1000} s; see its log in DATA_DIR`),
      ),
    readyWithinMs,
  );
  void running.exited.then(() =>
    ready.reject(new StartError('the sandbox exited during the start; see its log in DATA_DIR')),
  );
  try {
    onReady(await ready.promise);
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

function readyUrl(line: string): string | undefined {
  if (!line.startsWith('{"ready"')) return undefined;
  try {
    return Ready.parse(JSON.parse(line)).url;
  } catch {
    return undefined;
  }
}
