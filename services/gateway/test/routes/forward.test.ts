import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../support/raw-request.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let idp: FakeIdp;
let gateway: RunningGateway;
let token: string;

beforeAll(async () => {
  idp = await startFakeIdp();
  gateway = await startGateway({ IDP_ISSUER: idp.issuer, IDP_PLATFORM_ORG_ID: 'org_p' });
  token = await idp.sessionToken({ userId: 'user_1', orgId: 'org_p', orgRole: 'org:admin' });
});
afterAll(async () => {
  await gateway.stop();
  await idp.close();
});

const send = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${gateway.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } });

const forged = {
  'x-botyard-identity': 'forged',
  'x-botyard-anything': 'forged',
  'x-user-id': 'forged',
  'x-forwarded-host': 'forged',
  'x-forwarded-proto': 'forged',
  'x-real-ip': 'forged',
  'x-original-url': '/forged',
  forwarded: 'for=forged',
  cookie: '__session=forged',
};

describe('the service gets', () => {
  test('G-04: the verified identity, signed for it alone', async () => {
    await send('/api/keys/t1');
    const { last } = gateway.services.keys;
    expect(await gateway.identityOf(last, 'keys')).toMatchObject({
      kind: 'user',
      idpUserId: 'user_1',
      org: { id: 'org_p', role: 'org:admin' },
      isOperator: true,
    });
    expect(await gateway.identityOf(last, 'usage')).toBeNull();
  });

  test.each(['/api/keys/t1', '/webhooks/idp'])('G-04: nothing that a client forged, at %s', async (path) => {
    await send(path, forged);
    const { last } = path.startsWith('/api') ? gateway.services.keys : gateway.services.webhooks;
    expect(JSON.stringify(last.rawHeaders)).not.toContain('forged');
    expect(last.rawHeaders.filter((name) => name.toLowerCase() === 'x-botyard-identity')).toHaveLength(1);
    expect(last.headers).not.toHaveProperty('authorization');
    expect(last.headers).not.toHaveProperty('cookie');
  });

  test.each([
    ['/api/email-auth/senders', true],
    ['/API/Email-Auth', true],
    ['/api/email-authority', false],
    ['/api/email-threads', false],
    ['/api/messenger-auth/status', false],
  ])('a link token, on routes that check their own tokens, at %s: %s', async (path, isPassedOn) => {
    const sentBefore = gateway.services.webhooks.last;
    await send(path, { authorization: 'Bearer of-a-link' });
    const { last } = gateway.services.webhooks;
    const seen = last === sentBefore ? undefined : last.headers.authorization;
    expect(seen).toBe(isPassedOn ? 'Bearer of-a-link' : undefined);
  });

  test('the cookies that its contract names, and no others', async () => {
    const cookie = '__session=secret; __Host-botyard-login=a.b; botyard-login=c; x=1; botyard-login-x=2';
    await send('/api/messenger-auth/status', { cookie });
    expect(gateway.services.tenancy.last.headers.cookie).toBe('__Host-botyard-login=a.b; botyard-login=c');
    await send('/api/messenger-auth/status', { cookie: '__session=secret' });
    expect(gateway.services.tenancy.last.headers).not.toHaveProperty('cookie');
    await send('/api/identity-links', { cookie });
    expect(gateway.services.tenancy.last.headers).not.toHaveProperty('cookie');
  });

  test('the headers that it needs to read the request', async () => {
    const headers = { 'content-type': 'application/json', 'accept-language': 'de', 'if-none-match': '"x"' };
    await send('/api/keys/t1?a=1&b=%20', headers, { method: 'POST', body: '{"a":1}' });
    const { last } = gateway.services.keys;
    expect(last).toMatchObject({ method: 'POST', url: '/api/keys/t1?a=1&b=%20', body: '{"a":1}' });
    expect(last.headers).toMatchObject({ ...headers, 'content-length': '7' });
    expect(last.headers.host).toBe(new URL(gateway.services.keys.url).host);
  });

  test('the tenant that a request names, but not on public paths', async () => {
    await send('/api/keys/t1', { 'x-tenant-id': 'a' });
    expect(gateway.services.keys.last.headers['x-tenant-id']).toBe('a');
    await send('/api/messenger-auth/config', { 'x-tenant-id': 'a' });
    expect(gateway.services.tenancy.last.headers).not.toHaveProperty('x-tenant-id');
  });

  test('a chunked body whole, and a body that is missing as an empty one', async () => {
    const chunks = ReadableStream.from(
      ['part one, ', 'part two'].map((part) => new TextEncoder().encode(part)),
    );
    await send('/api/keys/t1', {}, { method: 'PUT', body: chunks, duplex: 'half' } as RequestInit);
    expect(gateway.services.keys.last.body).toBe('part one, part two');
    const lines = [
      'POST /api/keys/t1 HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${token}`,
    ];
    await sendRaw(gateway.port, `${lines.join('\r\n')}\r\n\r\n`);
    expect(gateway.services.keys.last.headers).toMatchObject({ 'content-length': '0' });
    expect(gateway.services.keys.last.headers).not.toHaveProperty('transfer-encoding');
  });

  test('the platforms\u2019 signatures on webhooks, and nowhere else', async () => {
    const signatures = {
      'x-messenger-bot-api-secret-token': 'a',
      'x-telegram-bot-api-secret-token': 'b',
      'svix-id': 'c',
      'svix-timestamp': 'd',
      'svix-signature': 'e',
      'webhook-id': 'f',
      'webhook-timestamp': 'g',
      'webhook-signature': 'h',
    };
    await send('/webhooks/messenger/b1', signatures, { method: 'POST', body: '{}' });
    expect(gateway.services.webhooks.last.headers).toMatchObject(signatures);
    await send('/api/keys/t1', signatures);
    for (const name of Object.keys(signatures))
      expect(gateway.services.keys.last.headers).not.toHaveProperty(name);
  });

  test('the trace and the request id, when they are well formed', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const answer = await send('/api/keys/t1', { traceparent, 'x-request-id': 'request-4711' });
    const { headers } = gateway.services.keys.last;
    expect(headers['x-request-id']).toBe('request-4711');
    expect(headers.traceparent).toMatch(
      new RegExp(`^00-${'a'.repeat(32)}-(?!${'b'.repeat(16)})[0-9a-f]{16}-01$`),
    );
    expect(answer.headers.get('x-request-id')).toBe('request-4711');
    await send('/api/keys/t1', { traceparent: 'x', 'x-request-id': 'a b' });
    expect(gateway.services.keys.last.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });
});

test('the client gets the response without internal headers', async () => {
  gateway.services.usage.answer = (_req, res) => {
    res.writeHead(418, {
      'content-type': 'text/x-test',
      link: '</x>; rel="next"',
      'x-powered-by': 'Express',
      server: 'inside',
      'x-botyard-identity': 'inside',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=600',
      'set-cookie': ['a=1', 'b=2'],
    });
    res.end('short and stout');
  };
  const answer = await send('/api/usage/t1');
  expect([answer.status, await answer.text()]).toEqual([418, 'short and stout']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/x-test',
    link: '</x>; rel="next"',
    'cache-control': 'no-store',
  });
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  for (const name of ['x-powered-by', 'server', 'x-botyard-identity', 'access-control-allow-origin']) {
    expect(answer.headers.has(name)).toBe(false);
  }
});

describe('refused before anything is forwarded', () => {
  const request = (lines: string[]) =>
    sendRaw(
      gateway.port,
      ['GET /webhooks/idp HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n'),
    );
  const many = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: y`);

  test.each([99, 130, 1500])('more than 100 headers (%d more)', async (count) => {
    const before = gateway.services.webhooks.arrivals.length;
    expect((await request(many(count))).status).toBe(431);
    expect(gateway.services.webhooks.arrivals).toHaveLength(before);
  });
  test('but 100 are fine', async () => expect((await request(many(98))).status).toBe(200));

  test('headers of more than 16 KiB', async () => {
    const answer = await request([`X-Long: ${'x'.repeat(17 * 1024)}`]);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([431, { error: expect.any(String) }]);
  });

  test.each([
    ['both lengths', ['Content-Length: 1', 'Transfer-Encoding: chunked'], 400],
    ['two lengths', ['Content-Length: 1', 'Content-Length: 2'], 400],
    ['another transfer encoding', ['Transfer-Encoding: gzip, chunked'], 501],
    ['a header that is none', ['no colon'], 400],
  ])('a request with %s', async (_name, lines, status) => {
    const before = gateway.services.webhooks.arrivals.length;
    expect((await request(lines)).status).toBe(status);
    expect(gateway.services.webhooks.arrivals).toHaveLength(before);
  });
});
