import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type RunningGateway, settings, startGateway } from './support/start-gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.stop());

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs the process with nothing but these settings. */
async function runMain(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

test('a port that is taken ends the process with one line and code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, output } = await runMain(settings({ PORT: String(port) }));
  expect([code, output]).toEqual([1, `gateway: PORT: 127.0.0.1:${port} is taken by another program\n`]);
  other.close();
});

test('development mode in production ends the process with one line and code 1', async () => {
  const { code, output } = await runMain(settings({ NODE_ENV: 'production', AUTH_DEV_MODE: 'true' }));
  expect(code).toBe(1);
  expect(output).toMatch(/^gateway: [^\n]*AUTH_DEV_MODE[^\n]*\n$/);
});

test('stopping finishes a running request and accepts no new one', async () => {
  gateway = await startGateway();
  const { webhooks } = gateway.services;
  const { promise: release, resolve } = Promise.withResolvers<void>();
  webhooks.answer = (_req, res) => void release.then(() => res.end('finished'));
  const running = fetch(`${gateway.url}/webhooks/idp`);
  await webhooks.arrived(1);
  const stopped = gateway.stopApp();
  await expect(fetch(`${gateway.url}/webhooks/idp`)).rejects.toThrow();
  resolve();
  expect(await (await running).text()).toBe('finished');
  await stopped;
});
