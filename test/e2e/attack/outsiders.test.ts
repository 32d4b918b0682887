import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LauncherProcess } from '../launcher-process.ts';
import { callGuardedRoutes, guardedRoutes, type RouteAnswer } from './call-guarded-routes.ts';
import { LocalInstallation } from './local-installation.ts';
import { openProxy } from './proxy.ts';

let installation: LocalInstallation;
beforeAll(async () => {
  installation = await LocalInstallation.start();
});
afterAll(() => installation?.stop());

function report(who: string, asked: readonly RouteAnswer[]): void {
  process.stdout.write(`attack: ${who}: ${asked.length} requests, 0 let in\n`);
}

const refusal = { error: expect.any(String) };
const postTo = (url: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"update_id":1}' });

test('A-01: a caller behind a proxy is anonymous on every route, and reaches the webhooks', async () => {
  const before = await installation.snapshot();
  const address = `localhost:${installation.gatewayPort}`;
  const proxies = [
    await openProxy(Number(installation.gatewayPort), { 'x-forwarded-for': '203.0.113.9' }),
    // One that hides where it was asked.
    await openProxy(Number(installation.gatewayPort), { 'x-forwarded-for': '127.0.0.1', host: address }),
    await openProxy(Number(installation.gatewayPort), { via: '1.1 tunnel', host: address }),
    // A tunnel that only keeps the name that it was asked by.
    await openProxy(Number(installation.gatewayPort), { host: 'bots.example.com' }),
  ];
  for (const proxy of proxies) {
    const answers = await callGuardedRoutes(proxy.url, { resources: installation.resources });
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
    for (const { text } of answers) expect(JSON.parse(text)).toEqual(refusal);
    // The handler of the webhook refuses these two itself, by the bot that nobody knows and by the missing secret.
    expect((await postTo(`${proxy.url}/webhooks/messenger/${randomUUID()}`)).status).toBe(404);
    const unsigned = await postTo(`${proxy.url}/webhooks/messenger/${installation.demo.botId}`);
    expect([unsigned.status, await unsigned.json()]).toEqual([
      401,
      { error: 'the delivery was refused: wrong secret' },
    ]);
    report('somebody behind a proxy', answers);
    proxy.close();
  }
  const sandbox = await openProxy(Number(installation.sandboxPort), { 'x-forwarded-for': '127.0.0.1' });
  for (const path of [
    '/',
    '/api/session-token',
    '/idp/v1/users',
    '/model/v1/models',
    '/messenger/bot1:x/getMe',
  ])
    expect((await postTo(sandbox.url + path)).status, path).toBe(403);
  sandbox.close();
  expect(await installation.snapshot()).toEqual(before);
});

test('A-01: another machine does not even get a connection', async () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  for (const host of addresses)
    for (const port of [installation.gatewayPort, installation.sandboxPort]) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = connect({ host, port: Number(port) }, () => resolve('connected'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
      expect(await promise, `${host}:${port}`).toBe('ECONNREFUSED');
      socket.destroy();
    }
});

describe('A-01: a signed-in outsider', () => {
  const ids = () => Object.values(installation.resources);

  test.each([
    ['a member of another tenant', 'user_neighbour'],
    ['a stranger', 'user_stranger'],
  ])('%s reads and changes nothing of this one, on any route', async (who, userId) => {
    const before = await installation.snapshot();
    const token = await installation.tokenOf(userId);
    const { tenantId } = installation.demo;
    for (const headers of [{}, { 'x-tenant-id': tenantId }]) {
      const authorization = `Bearer ${token}`;
      const { resources } = installation;
      const answers = await callGuardedRoutes(installation.gatewayUrl, {
        resources,
        headers: { ...headers, authorization },
      });
      const named = answers.filter(({ name }) => ids().some((id) => name.includes(id)));
      expect(named.length).toBeGreaterThan(40);
      expect(named.filter(({ status }) => ![400, 403, 404, 415].includes(status))).toEqual([]);
      expect(named.filter(({ name, status }) => name.includes(tenantId) && status !== 403)).toEqual([]);
      // Their own data is answered, and contains nothing of the other tenant.
      expect(answers.filter(({ text }) => ids().some((id) => text.includes(id)))).toEqual([]);
      report(who, answers);
    }
    expect(await installation.snapshot()).toEqual(before);
  });

  test('a member of this tenant changes nothing of it', async () => {
    const headers = { authorization: `Bearer ${await installation.tokenOf('user_member')}` };
    const before = await installation.snapshot();
    const answers = await callGuardedRoutes(installation.gatewayUrl, {
      resources: installation.resources,
      headers,
    });
    const { tenantId } = installation.demo;
    const writes = answers.filter(({ name }) => name.includes(`/${tenantId}`) && !name.startsWith('GET'));
    expect(writes.length).toBeGreaterThan(10);
    expect(writes.filter(({ status }) => status !== 403)).toEqual([]);
    expect(await installation.snapshot()).toEqual(before);
  });
});

describe('A-01: in production', () => {
  let idp: FakeIdp;
  let launcher: LauncherProcess;
  let gatewayUrl: string;
  beforeAll(async () => {
    idp = await startFakeIdp();
    launcher = await LauncherProcess.start({ NODE_ENV: 'production', IDP_ISSUER: idp.issuer });
    gatewayUrl = (await launcher.readRun())!.gatewayUrl;
  });
  afterAll(async () => {
    await launcher?.stop();
    await idp?.close();
  });

  test('a stranger without a token, or with a forged one, is anonymous on every route', async () => {
    const forged = await idp.sessionToken({ userId: 'user_dev', isForged: true });
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${forged.split('.')[1]}.`;
    const attempts = [{}, { authorization: `Bearer ${forged}` }, { authorization: `Bearer ${unsigned}` }];
    for (const headers of attempts) {
      const answers = await callGuardedRoutes(gatewayUrl, { headers });
      expect(answers).toHaveLength(guardedRoutes.length);
      expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
      for (const { text } of answers)
        expect(JSON.parse(text)).toEqual({ error: 'authentication is required' });
      report('a stranger without a token', answers);
    }
    const good = await idp.sessionToken({ userId: 'user_1' });
    const headers = { authorization: `Bearer ${good}` };
    expect((await fetch(`${gatewayUrl}/api/current-user`, { headers })).status).toBe(200);
  });
});
