import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { freePort } from '../../../tools/embedded/free-port.ts';
import { spawnGuarded } from '../../../tools/embedded/guarded-process.ts';

/** A process behind the balancer: where it takes requests, and where it says whether it is ready. */
export interface Backend {
  port: number;
  readinessPort: number;
}

export interface Haproxy {
  stop(): Promise<void>;
}

/** Debian's HAProxy with this configuration. @throws if it ends before `isThere`, or isn't ready in time. */
export async function runHaproxy(config: string, isThere: () => Promise<boolean>): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'botyard-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  const lines: string[] = [];
  const child = spawnGuarded({
    file: '/usr/sbin/haproxy',
    args: ['-f', file],
    env: { PATH: process.env.PATH },
    cwd: '/',
    orphanSignal: 'TERM',
    onLine: (line) => lines.push(line),
  });
  await eventually('HAProxy is there', isThere).catch((error: unknown) => {
    throw new Error(`HAProxy said: ${lines.join('; ')}`, { cause: error });
  });
  return {
    stop: async () => {
      await child.end([
        { signal: 'SIGTERM', waitMs: 2000 },
        { signal: 'SIGKILL', waitMs: 1000 },
      ]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Before some processes, with its check as `docs/operations.md` shows it. */
export async function startHaproxy(backends: readonly Backend[]): Promise<Haproxy & { url: string }> {
  const port = await freePort();
  const servers = backends.map(
    (backend, index) =>
      `  server gateway-${index} 127.0.0.1:${backend.port} check port ${backend.readinessPort} inter 1s fall 2 rise 1`,
  );
  const config = [
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  option redispatch',
    'frontend public',
    `  bind 127.0.0.1:${port}`,
    '  default_backend gateways',
    'backend gateways',
    '  option httpchk',
    '  http-check send meth GET uri /readyz',
    '  http-check expect status 200',
    ...servers,
    '',
  ].join('\n');
  const url = `http://127.0.0.1:${port}`;
  const hasGateway = async () => (await fetch(`${url}/api/health`).catch(() => undefined))?.ok ?? false;
  return { url, ...(await runHaproxy(config, hasGateway)) };
}
