import { Resolver } from 'node:dns/promises';
import { afterEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { readSettings } from '../settings.ts';

let sandbox: Sandbox | undefined;
afterEach(() => sandbox?.stop());

const start = async () => {
  sandbox = await startSandbox(readSettings({ SANDBOX_PORT: '0' }));
  return sandbox;
};
const post = (body: unknown) =>
  fetch(`${sandbox?.url}/api/dns`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('the name server answers on the port of the sandbox what its API was told', async () => {
  const { url } = await start();
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${new URL(url).port}`]);
  await expect(resolver.resolveTxt('_botyard.acme.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const long = 'x'.repeat(600);
  expect((await post({ name: '_Botyard.acme.example', values: ['one', long] })).status).toBe(201);
  const records = await resolver.resolveTxt('_botyard.acme.example');
  expect(records.map((chunks) => chunks.join(''))).toEqual(['one', long]);
  await expect(resolver.resolve4('_botyard.acme.example')).rejects.toMatchObject({ code: 'ENODATA' });
  expect((await post({ name: '_botyard.acme.example', values: [] })).status).toBe(201);
  await expect(resolver.resolveTxt('_botyard.acme.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test.each([
  {},
  { name: 'a b', values: [] },
  { name: 'a.example', values: [1] },
  { name: 'a.example', values: 'x' },
])('%j is no record', async (body) => {
  await start();
  expect((await post(body)).status).toBe(400);
});
