import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Response } from 'playwright-core';
import type { AttackRequest } from './attack-requests.ts';

/** A web site of the attacker's: any path is a page. */
export async function openSite(): Promise<{ port: number; close(): void }> {
  const server = createServer((_req, res) => {
    res
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Win a prize</title><body>');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** An answer as the network saw it, whether the page could read it or not. */
export interface Seen {
  request: string;
  status: number;
}

/** Notes every answer that this page gets from these origins. */
export function watch(page: Page, origins: readonly string[]): Seen[] {
  const seen: Seen[] = [];
  page.on('response', (response: Response) => {
    if (!origins.some((origin) => response.url().startsWith(`${origin}/`))) return;
    seen.push({ request: `${response.request().method()} ${response.url()}`, status: response.status() });
  });
  return seen;
}

/** The result of `send-attacks.js`, run inside the page. */
export async function sendAttacks(page: Page, attacks: readonly AttackRequest[]): Promise<(number | null)[]> {
  const script = await readFile(new URL('./send-attacks.js', import.meta.url), 'utf8');
  const body = script.slice(script.indexOf('async function'));
  return (await page.evaluate(`(${body})(${JSON.stringify(attacks)})`)) as (number | null)[];
}
