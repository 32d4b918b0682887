import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { ConsoleConfig } from '@botyard/contracts/console';
import { consolePages } from '@botyard/contracts/console-paths';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRaw } from '../support/raw-request.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let folder: string;
let gateway: RunningGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-console-'));
  gateway = await startGateway({}, { consoleFolder: folder });
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}${path}`, init);

test('before the first build the page explains it, and reloads itself without a script', async () => {
  const page = await get('/');
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const html = await page.text();
  expect(html).toContain('http-equiv="refresh"');
  expect(html).not.toContain('<script');
});

test('once it is built, every address serves the same page, which is not cached', async () => {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'index.html'), '<title>built</title>');
  for (const path of ['/', ...consolePages.map((page) => `/${page}`), '/inbox/a1?trace=b2']) {
    const page = await get(path);
    expect([path, page.status, await page.text()]).toEqual([path, 200, '<title>built</title>']);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  }
  expect(gateway.arrivals()).toEqual([]);
});

test('its files may be cached forever, and are sent in their compressed form', async () => {
  await writeFile(join(folder, 'assets/index-0a1b.js'), 'plain');
  await writeFile(join(folder, 'assets/index-0a1b.js.gz'), gzipSync('packed'));
  const path = '/console/assets/index-0a1b.js';
  const packed = await get(path, { headers: { 'accept-encoding': 'gzip' } });
  expect(await packed.text()).toBe('packed');
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(gunzipSync(gzipSync('packed')).toString()).toBe('packed');
  await writeFile(join(folder, 'assets/index-0a1b.js.br'), brotliCompressSync('packed best'));
  const best = await get(path, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } });
  expect([await best.text(), best.headers.get('content-encoding')]).toEqual(['packed best', 'br']);
  const plain = await get(path, { headers: { 'accept-encoding': 'identity' } });
  expect([await plain.text(), plain.headers.get('content-encoding')]).toEqual(['plain', null]);
});

test.each([
  '/console',
  '/console/assets',
  '/console/assets/index-0a1b.js.gz',
  '/console/assets/none-ffff.js',
  '/console/assets/x/index-0a1b.js',
  '/console/index.html',
  '/console/sources.txt',
  '/inboxx',
])('%s is nothing', async (path) => expect((await get(path)).status).toBe(404));

test('a path with dots never leaves the folder', async () => {
  for (const path of ['/console/assets/../index.html', '/console/assets/%2e%2e/index.html']) {
    const answer = await sendRaw(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect([path, answer.status]).toEqual([path, 400]);
  }
});

test('who follows a link that leads nowhere gets the page with status 404; a program gets the error as JSON', async () => {
  const html = { headers: { accept: 'text/html,application/xhtml+xml' } };
  const lost = await get('/no/such/page', html);
  expect([lost.status, await lost.text()]).toEqual([404, expect.stringContaining('<title>')]);
  expect(lost.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const [path, options] of [
    ['/no/such/page', {}],
    ['/api/no-such-path', html],
    ['/webhooks/no-such-path', html],
    ['/no/such/page', { ...html, method: 'POST' }],
  ] as const) {
    const answer = await get(path, options);
    expect([path, answer.headers.get('content-type')]).toEqual([path, expect.stringContaining('json')]);
  }
});

test('it can only be read', async () => {
  for (const path of ['/', '/inbox', '/console/config.json'])
    expect((await get(path, { method: 'POST' })).status).toBe(405);
});

test('the configuration describes the sign-in, to everybody', async () => {
  const config = ConsoleConfig.parse(await (await get('/console/config.json')).json());
  expect(config).toEqual({
    developmentMode: false,
    idp: {},
    externalTools: false,
    version: expect.stringMatching(/./),
  });
});

test.each([
  ['http://127.0.0.1:3002', 'http://127.0.0.1:3002'],
  ['http://sandbox:3002', undefined],
])(
  'in development mode the configuration leads to a sandbox that a browser reaches: %s',
  async (SANDBOX_URL, shown) => {
    const other = await startGateway({ AUTH_DEV_MODE: 'true', SANDBOX_URL });
    const config = ConsoleConfig.parse(await (await fetch(`${other.url}/console/config.json`)).json());
    expect(config.sandboxUrl).toBe(shown);
    await other.stop();
  },
);

test('the configuration says whether external tools are switched on', async () => {
  const other = await startGateway({ TOOL_INTEGRATIONS_ENABLED: 'true' });
  const answer = await fetch(`${other.url}/console/config.json`);
  expect(await answer.json()).toMatchObject({ externalTools: true });
  await other.stop();
});

test('the publishable key of the identity provider is public, because it is not a secret', async () => {
  const publishableKey = `pk_test_${btoa('idp.example$')}`;
  const other = await startGateway({ IDP_PUBLISHABLE_KEY: publishableKey });
  const answer = await fetch(`${other.url}/console/config.json`);
  expect(await answer.json()).toMatchObject({ idp: { publishableKey } });
  await other.stop();
});

test('outside development mode there are no people to impersonate', async () => {
  expect((await get('/console/people')).status).toBe(404);
  const body = JSON.stringify({ userId: 'user_admin' });
  const headers = { 'content-type': 'application/json' };
  expect((await get('/console/session', { method: 'POST', body, headers })).status).toBe(404);
});
