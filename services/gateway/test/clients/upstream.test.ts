import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeService } from '../support/fake-service.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let service: FakeService;
let gateway: RunningGateway | undefined;
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(async () => {
  await gateway?.stop();
  await service.stop();
});

/** No test waits for these: where time runs out, the test says which. */
const limits = { connectTimeoutMs: 10_000, firstByteTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
const start = async (extra = {}) => {
  gateway = await startGateway({ WEBHOOKS_URL: service.url }, { limits: { ...limits, ...extra } });
};
const ask = (init: RequestInit = {}) => fetch(`${gateway?.url}/webhooks/idp`, init);
const streamed = () =>
  ask({ method: 'POST', body: ReadableStream.from([new Uint8Array(9)]), duplex: 'half' } as RequestInit);

describe.each([
  ['a short request', () => ask({ method: 'POST', body: 'x' })],
  ['a streamed request', streamed],
])('to %s a service that', (_kind, send) => {
  test('is down is 503 with Retry-After, and works again when it is back', async () => {
    await start();
    const { port } = new URL(service.url);
    await service.stop();
    const answer = await send();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toEqual({
      error: expect.not.stringMatching(/ECONN|127|webhooks/),
      code: 'unavailable',
    });
    await service.start(Number(port));
    expect((await send()).status).toBe(200);
  });

  test('drops the connection is 503', async () => {
    await start();
    service.answer = (req) => req.socket.destroy();
    expect((await send()).status).toBe(503);
  });

  test('answers nonsense is 503', async () => {
    await start();
    service.answer = (req) => req.socket.end('nonsense\r\n\r\n');
    expect((await send()).status).toBe(503);
  });

  test.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2'],
    ['a length and chunks', 'Content-Length: 1\r\nTransfer-Encoding: chunked'],
  ])('answers with %s is 503: no client reads that in another way than we do', async (_what, lines) => {
    await start();
    service.answer = (req) => req.socket.end(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n0\r\n\r\n`);
    expect((await send()).status).toBe(503);
  });

  test('names headers of its connection keeps them from the client', async () => {
    await start();
    service.answer = (req) =>
      req.socket.end(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\nKeep-Alive: timeout=1\r\nProxy-Authenticate: x\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      );
    const answer = await send();
    expect(await answer.text()).toBe('x');
    for (const name of ['trailer', 'proxy-authenticate']) expect(answer.headers.has(name)).toBe(false);
    expect(answer.headers.get('keep-alive')).not.toBe('timeout=1');
  });

  test.each([
    ['never begins to answer', { firstByteTimeoutMs: 1000 }],
    ['takes longer than all the time there is', { totalTimeoutMs: 1000 }],
  ])('%s is 504, and its connection is closed', async (_name, times) => {
    await start(times);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    service.answer = (req) => req.socket.once('close', () => resolve());
    const answer = await send();
    expect(answer.status).toBe(504);
    expect(await answer.json()).toEqual({ error: expect.any(String), code: 'timeout' });
    await closed;
  });

  test('answers only in part is cut off at the time limit', async () => {
    await start({ totalTimeoutMs: 2000 });
    service.answer = (_req, res) => {
      res.write('the first half');
    };
    const answer = await send();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  test('dies in the middle of its answer leaves the client with an error, not with half an answer', async () => {
    await start();
    service.answer = (req, res) => {
      res.write('the first half', () => req.socket.destroy());
    };
    await expect(send().then((answer) => answer.text())).rejects.toThrow();
  });
});

test('a service that begins its answer and dies before any of the body is 503', async () => {
  await start();
  service.answer = (req) => {
    req.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', () => req.socket.destroy());
  };
  expect((await ask({ method: 'POST', body: 'x' })).status).toBe(503);
});

test('a response that arrives before the body is sent completely is passed on', async () => {
  await start();
  service.answerEarly = 413;
  const body = ReadableStream.from([new Uint8Array(1024), new Uint8Array(1024)]);
  const answer = await ask({ method: 'POST', body, duplex: 'half' } as RequestInit);
  expect(answer.status).toBe(413);
});

test('a request that waited too long for a connection is 503 and never reaches the service', async () => {
  await start({ maxConnections: 1, connectTimeoutMs: 1000 });
  const { promise: release, resolve } = Promise.withResolvers<void>();
  service.answer = (_req, res) => void release.then(() => res.end('late'));
  const first = ask({ method: 'POST', body: 'first' });
  await service.arrived(1);
  expect((await ask({ method: 'POST', body: 'second' })).status).toBe(503);
  resolve();
  expect(await (await first).text()).toBe('late');
  expect((await ask({ method: 'POST', body: 'third' })).status).toBe(200);
  expect(service.arrivals.map(({ body }) => body)).toEqual(['first', 'third']);
});

test('a client that leaves takes its request with it', async () => {
  await start();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  service.answer = (req) => req.socket.once('close', () => resolve());
  const leaving = new AbortController();
  const answer = ask({ signal: leaving.signal });
  await service.arrived(1);
  leaving.abort();
  await expect(answer).rejects.toThrow();
  await closed;
});

test('connections are kept and used again', async () => {
  await start();
  for (let i = 0; i < 5; i += 1) await (await ask()).text();
  expect(service.connections).toBe(1);
  for (let i = 0; i < 5; i += 1) await (await streamed()).text();
  expect(service.connections).toBeLessThanOrEqual(6);
});

test('a connection that the service closed does not fail the next read', async () => {
  await start();
  service.answer = (req, res) => res.end('last', () => req.socket.destroy());
  for (let i = 0; i < 20; i += 1) expect(await (await ask()).text()).toBe('last');
});

test.each([
  ['short', 16 * 1024],
  ['streamed', 16 * 1024 + 1],
])('a %s body arrives whole', async (_kind, bytes) => {
  await start();
  const body = 'ä'.repeat(bytes / 2).padEnd(bytes - Math.floor(bytes / 2), 'x');
  expect((await ask({ method: 'POST', body })).status).toBe(200);
  expect(service.last.body).toBe(body);
  expect(service.last.headers['content-length']).toBe(String(Buffer.byteLength(body)));
});

test.each([
  ['short', () => ask({ method: 'POST', body: 'x' })],
  ['streamed', streamed],
])('the answer to a %s request waits for a client that does not take it', async (_kind, send) => {
  await start({ totalTimeoutMs: 3000 });
  const { promise: closed, resolve } = Promise.withResolvers<boolean>();
  service.answer = (_req, res) => {
    res.once('close', () => resolve(res.writableFinished));
    res.end(Buffer.alloc(64 * 1024 * 1024));
  };
  // The client doesn't read the body, which would fill our memory long before it is cut off.
  const answer = await send();
  expect(await closed).toBe(false);
  await expect(answer.text()).rejects.toThrow();
});

test('a long answer arrives whole', async () => {
  await start();
  const whole = 32 * 1024 * 1024;
  service.answer = (_req, res) => res.end(Buffer.alloc(whole, 'x'));
  expect((await (await ask()).arrayBuffer()).byteLength).toBe(whole);
});
