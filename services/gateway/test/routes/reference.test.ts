import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const get = (path: string, method = 'GET') => fetch(`${gateway.url}${path}`, { method });

test('the reference is complete: all files of its page come from here, and none from anywhere else', async () => {
  const page = await get('/docs');
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const named = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((address) => !address.startsWith('/docs/'))).toEqual([]);
  for (const address of named) expect([address, (await get(address)).status]).toEqual([address, 200]);
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
});

test('it shows the document of this version, with every router', async () => {
  const document = (await (await get('/docs/openapi.json')).json()) as { openapi: string; paths: object };
  expect(document.openapi).toMatch(/^3\.1/);
  expect(Object.keys(document.paths)).toContain('/api/bots');
});

test.each(['/docs/', '/docs/openapi.json'])('%s can only be read', async (path) => {
  expect([(await get(path)).status, (await get(path, 'HEAD')).status]).toEqual([200, 200]);
  expect((await get(path, 'POST')).status).toBe(405);
});

test.each(['/docs/package.json', '/docs/index.html', '/docs/openapi.json/x', '/docsx'])(
  '%s is nothing',
  async (path) => expect((await get(path)).status).toBe(404),
);
