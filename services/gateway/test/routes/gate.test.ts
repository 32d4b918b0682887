import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getRaw, sendRaw } from '../support/raw-request.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let idp: FakeIdp;
let gateway: RunningGateway;
let bearer: string;

beforeAll(async () => {
  idp = await startFakeIdp();
  gateway = await startGateway({ IDP_ISSUER: idp.issuer });
  bearer = `Authorization: Bearer ${await idp.sessionToken({ userId: 'user_1' })}`;
});
afterAll(async () => {
  await gateway.stop();
  await idp.close();
});
beforeEach(() => {
  for (const service of Object.values(gateway.services)) service.arrivals.length = 0;
});

const ask = (target: string, headers: string[] = []) => getRaw(gateway.port, target, headers);
const asksWithToken = (target: string) => ask(target, [bearer]);

const hostileTargets = [
  '/api/health/../bots',
  '/api/health/./../bots',
  '/api/health/%2e%2e/bots',
  '/api/health/.%2e/bots',
  '/api/health/%2E%2E%2Fbots',
  '/api/health/..%2fbots',
  '/api/health/..%5cbots',
  '/api/health/..\\bots',
  '/api/health/..;/bots',
  '/api/otel/../bots',
  '/webhooks/../api/bots',
  '/webhooks/%2e%2e/api/bots',
  '//api/bots',
  '//evil.test/api/bots',
  '///api/bots',
  '/api//bots',
  '/./api/bots',
  '/x/../api/bots',
  '/%61pi/bots',
  '/%2561pi/bots',
  '/api%2fbots',
  '/api%00/bots',
  '/api\\bots',
  '\\api\\bots',
  '/api;x/bots',
  '/api/bots;x',
  '/api/bots#/api/health',
  '/api/bots?#/api/health',
  '/api/bots/..',
  '/api/bots/.',
  '/api/bots//',
  '/api/h\u00e9alth',
  'http://gateway/api/bots',
  'http://evil.test/api/bots',
  'http://[/api/bots',
  'https://evil.test:443/api/health',
  'api/bots',
  '*',
  `/api/${'a'.repeat(2100)}`,
  `/api/bots?${'a'.repeat(2100)}`,
];

describe('G-01: a target that two readers could read differently', () => {
  test.each(hostileTargets)('%s is 400 and reaches no service, with a token or without', async (target) => {
    for (const headers of [[], [bearer]]) {
      const answer = await ask(target, headers);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    }
    expect(gateway.arrivals()).toEqual([]);
  });
});

describe('G-01: without a principal', () => {
  test.each([
    '/api',
    '/api/',
    '/api/bots',
    '/API/bots',
    '/aPi/BoTs/x',
    '/api/bots/',
    '/api/bots?x=/api/health',
    '/api/healthz',
    '/api/health.json',
    '/api/health-',
    '/api/otelx',
    '/api/messenger-authx',
    '/api/messenger',
    '/api/email-auth-x/y',
    '/api/auth',
    '/api/tenant/select',
    '/api/no-such-router',
    '/api/webhooks/idp',
  ])('%s is 401', async (target) => {
    const answer = await ask(target);
    expect(answer.status).toBe(401);
    expect(answer.headers).toMatch(/www-authenticate: bearer/i);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect(gateway.arrivals()).toEqual([]);
  });

  test.each(['OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'DELETE'])(
    'the method %s does not bypass the gate',
    async (method) => {
      const request = `${method} /api/bots HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect((await sendRaw(gateway.port, request)).status).toBe(401);
      expect(gateway.arrivals()).toEqual([]);
    },
  );

  test('a token elsewhere than in the header counts for nothing', async () => {
    const token = bearer.slice('Authorization: Bearer '.length);
    expect((await ask('/api/bots', [`Cookie: __session=${token}`])).status).toBe(401);
    expect((await ask(`/api/bots?access_token=${token}`)).status).toBe(401);
  });
});

describe('with a principal', () => {
  test.each([
    ['/api/bots', 'tenancy'],
    ['/API/Bots/X', 'tenancy'],
    ['/api/bots/?limit=5', 'tenancy'],
    ['/api/keys/t1', 'keys'],
    ['/api/usage/t1', 'usage'],
    ['/api/agents', 'agents'],
    ['/api/tenant/select', 'tenancy'],
  ] as const)('%s goes to %s, as it was written', async (target, service) => {
    expect((await asksWithToken(target)).status).toBe(200);
    expect(gateway.services[service].arrivals.map(({ url }) => url)).toEqual([target]);
    expect(gateway.arrivals()).toHaveLength(1);
  });

  test.each(['/api', '/api/webhooks/idp', '/api/botsy', '/api/no-such-router', '/api/health/x'])(
    '%s is 404',
    async (target) => {
      const answer = await asksWithToken(target);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
      expect(gateway.arrivals()).toEqual([]);
    },
  );

  test('an unusual method goes to the service, which knows who may see the path', async () => {
    const request = `PROPFIND /api/bots HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer}\r\n\r\n`;
    expect((await sendRaw(gateway.port, request)).status).toBe(200);
    expect(gateway.services.tenancy.arrivals.map(({ method }) => method)).toEqual(['PROPFIND']);
  });
});

describe('without need of one', () => {
  test.each([
    '/webhooks/messenger/b1',
    '/WEBHOOKS/idp',
    '/webhooks',
    '/api/email-auth',
    '/API/Email-Auth/allow',
  ])('%s reaches webhooks', async (target) => {
    expect((await ask(target)).status).toBe(200);
    const { last } = gateway.services.webhooks;
    expect(await gateway.identityOf(last, 'webhooks')).toEqual({ kind: 'anonymous' });
  });

  test('/API/messenger-auth/config reaches tenancy, without an identity', async () => {
    expect((await ask('/API/messenger-auth/config')).status).toBe(200);
    const { last } = gateway.services.tenancy;
    expect(await gateway.identityOf(last, 'tenancy')).toEqual({ kind: 'anonymous' });
  });

  test.each(['/api/otel', '/api/otel/v1/profiles'])('%s is 404 while no service serves it', async (target) =>
    expect((await ask(target)).status).toBe(404),
  );

  test.each(['/nothing', '/inboxx', '/webhooksx', '/healthz', '/readyz', '/metrics', '/apix/bots'])(
    '%s is 404',
    async (target) => {
      const answer = await ask(target);
      expect(answer.status).toBe(404);
      expect(gateway.arrivals()).toEqual([]);
    },
  );
});

test('upgrades are cut off', async () => {
  const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: eA==', 'Sec-WebSocket-Version: 13'];
  for (const target of ['/api/bots', '/webhooks/messenger/b1']) {
    const request = [`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', ...upgrade, bearer, '', ''];
    expect((await sendRaw(gateway.port, request.join('\r\n'))).status).toBe(0);
  }
  expect(gateway.arrivals()).toEqual([]);
});

test('answers carry the security headers, and no header for other origins', async () => {
  for (const target of ['/api/bots', '/api/health', '/api/x//y', '/nothing']) {
    const { headers } = await ask(target, ['Origin: https://evil.test']);
    expect(headers).toMatch(/x-content-type-options: nosniff/i);
    expect(headers).toMatch(/cache-control: no-store/i);
    expect(headers).not.toMatch(/access-control|x-powered-by|etag/i);
  }
});
