import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../support/raw-request.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let idp: FakeIdp;
let gateway: RunningGateway;
beforeAll(async () => {
  idp = await startFakeIdp();
  gateway = await startGateway({ AUTH_DEV_MODE: 'true', IDP_ISSUER: idp.issuer });
});
afterAll(async () => {
  await gateway.stop();
  await idp.close();
});

interface Sent {
  method?: string;
  path?: string;
  headers?: readonly string[];
  body?: string;
}

/** Sends exactly these headers; a request that passes the gate is answered with 200 by the service behind it. */
async function send({ method = 'GET', path = '/api/bots', headers = [], body = '' }: Sent) {
  const before = gateway.arrivals().length;
  const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', ...headers];
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const answer = await sendRaw(gateway.port, `${[...lines, ...length].join('\r\n')}\r\n\r\n${body}`);
  return { ...answer, passed: gateway.arrivals().length - before };
}

const local = () => `Host: localhost:${gateway.port}`;
const refused = { error: expect.stringContaining('send a token') };

describe('G-13: development mode gives a request without a token the synthetic admin only on this machine', () => {
  test.each(['localhost', '127.0.0.1', '127.8.8.8', '[::1]', 'console.localhost'])(
    'Host: %s',
    async (name) => {
      for (const host of [name, `${name}:${gateway.port}`])
        expect(await send({ headers: [`Host: ${host}`] })).toMatchObject({ status: 200, passed: 1 });
    },
  );

  test('as its own pages ask, and as an address is typed', async () => {
    const own = `Origin: http://localhost:${gateway.port}`;
    for (const site of ['same-origin', 'none'])
      expect(await send({ headers: [local(), own, `Sec-Fetch-Site: ${site}`] })).toMatchObject({
        status: 200,
      });
  });

  test.each([
    ['a name that leads here (DNS rebinding)', ['Host: evil.test:{port}']],
    ['such a name, and its page', ['Host: evil.test:{port}', 'Origin: http://evil.test:{port}']],
    ['the public name of a tunnel', ['Host: bots.example.com']],
    ['another address of this machine', ['Host: 192.168.1.5:{port}']],
    ['two names', ['Host: localhost:{port}', 'Host: evil.test']],
    ['no name', []],
    ['a proxy', ['Host: localhost:{port}', 'X-Forwarded-For: 203.0.113.9']],
    ['a proxy that says this machine', ['Host: localhost:{port}', 'X-Forwarded-For: 127.0.0.1']],
    ['a proxy of the newer kind', ['Host: localhost:{port}', 'Forwarded: for=203.0.113.9']],
    ['a proxy that only names itself', ['Host: localhost:{port}', 'Via: 1.1 tunnel']],
    ['a page of another site', ['Host: localhost:{port}', 'Sec-Fetch-Site: cross-site']],
    ['a page of another port', ['Host: localhost:{port}', 'Sec-Fetch-Site: same-site']],
    ['a page of another origin', ['Host: localhost:{port}', 'Origin: http://evil.test']],
    ['a page without an origin', ['Host: localhost:{port}', 'Origin: null']],
    [
      'two origins',
      ['Host: localhost:{port}', 'Origin: http://localhost:{port}', 'Origin: http://evil.test'],
    ],
  ])('and to no other request: %s', async (_what, headers) => {
    const raw = headers.map((line) => line.replace('{port}', String(gateway.port)));
    const answers = [
      await send({ headers: raw }),
      await send({ method: 'POST', path: '/api/system/services/usage/restart', headers: raw }),
      await send({
        method: 'POST',
        path: '/api/context-sources',
        headers: [...raw, 'Content-Type: text/plain'],
        body: 'planted',
      }),
      await send({ method: 'OPTIONS', headers: raw }),
    ];
    for (const { status, body, passed } of answers) {
      expect(passed).toBe(0);
      // Without any Host the parser is the one that refuses.
      if (headers.length === 0) expect(status).toBe(400);
      else expect([status, JSON.parse(body)]).toEqual([401, refused]);
    }
  });

  test('HTTP/1.0, which proxies without forwarding headers use, is refused', async () => {
    const answer = await sendRaw(gateway.port, 'GET /api/bots HTTP/1.0\r\nHost: localhost\r\n\r\n');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([401, refused]);
  });

  test('through a real proxy that adds X-Forwarded-For and keeps or sets the Host', async () => {
    for (const host of [undefined, `localhost:${gateway.port}`]) {
      const proxy = createServer((req, res) => {
        const headers = { ...req.headers, 'x-forwarded-for': req.socket.remoteAddress ?? '' };
        const onward = request(
          {
            host: '127.0.0.1',
            port: gateway.port,
            path: req.url,
            method: req.method,
            headers: host ? { ...headers, host } : headers,
          },
          (answer) => {
            res.writeHead(answer.statusCode ?? 500);
            answer.pipe(res);
          },
        );
        req.pipe(onward);
      });
      proxy.listen(0, '127.0.0.1');
      await new Promise((resolve) => proxy.once('listening', resolve));
      const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const answer = await fetch(`${origin}/api/bots`);
      expect([answer.status, await answer.json()]).toEqual([401, refused]);
      expect((await fetch(`${origin}/webhooks/idp`, { method: 'POST' })).status).toBe(200);
      proxy.close();
      proxy.closeAllConnections();
    }
  });
});

test('a session token is verified as usual, for any origin of the request', async () => {
  const token = await idp.sessionToken({ userId: 'user_1' });
  const far = ['Host: bots.example.com', 'X-Forwarded-For: 203.0.113.9', 'Origin: https://app.example.com'];
  expect(await send({ headers: [...far, `Authorization: Bearer ${token}`] })).toMatchObject({ status: 200 });
  expect(await gateway.identityOf(gateway.services.tenancy.last, 'tenancy')).toMatchObject({
    idpUserId: 'user_1',
  });
  const forged = await idp.sessionToken({ userId: 'user_1', isForged: true });
  for (const headers of [far, [local()]]) {
    const answer = await send({ headers: [...headers, `Authorization: Bearer ${forged}`] });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([401, { error: 'authentication is required' }]);
  }
});

test('public routes stay open to tunnels and foreign pages', async () => {
  const far = ['Host: bots.example.com', 'X-Forwarded-For: 203.0.113.9', 'Sec-Fetch-Site: cross-site'];
  for (const path of ['/webhooks/idp', '/webhooks/messenger/bot-1', '/webhooks/email', '/api/email-auth/x'])
    expect(await send({ method: 'POST', path, headers: far }), path).toMatchObject({
      status: 200,
      passed: 1,
    });
  expect(await send({ path: '/docs', headers: far })).toMatchObject({ status: 200 });
});

describe('from another address than the loopback', () => {
  /** The status for a connection that claims `Host: localhost`. It comes from the address that it connects to. */
  async function askFrom(address: string, port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const socket = connect({ host: address, port, localAddress: address }, () =>
      socket.write('GET /api/bots HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    );
    socket.on('error', reject);
    socket.on('data', (data: Buffer) => resolve(Number(data.toString('latin1').split(' ')[1])));
    return await promise.finally(() => socket.destroy());
  }
  const elsewhere = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  test('a connection is refused unless AUTH_DEV_MODE_PEERS names it', async () => {
    // On a machine without a network a second address of the loopback stands in for another machine's.
    const peer = elsewhere ?? '127.0.0.2';
    const open = { AUTH_DEV_MODE: 'true', HOST: '0.0.0.0' };
    const strict = await startGateway({
      ...open,
      ...(elsewhere ? {} : { AUTH_DEV_MODE_PEERS: '127.0.0.1' }),
    });
    const chosen = await startGateway({ ...open, AUTH_DEV_MODE_PEERS: `loopback, ${peer}` });
    expect(await askFrom(peer, strict.port)).toBe(401);
    expect(await askFrom('127.0.0.1', strict.port)).toBe(200);
    expect(await askFrom(peer, chosen.port)).toBe(200);
    expect(await askFrom('127.0.0.1', chosen.port)).toBe(200);
    await Promise.all([strict.stop(), chosen.stop()]);
  });
});
