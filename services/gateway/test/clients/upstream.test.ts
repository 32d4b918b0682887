import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterPoll } from '@botyard/shared/work/after-poll';
import { eventually } from '@botyard/testing/eventually';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createUpstream, upstreamLimits } from '../../src/clients/upstream.ts';
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
    expect(await answer.json()).toEqual({ error: expect.any(String) });
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

test.each(['GET', 'POST'])(
  'what a service said before it died is no part of the response to the client (%s)',
  async (method) => {
    await start();
    service.answer = (req) => {
      service.answer = (_req, res) => res.end('the whole answer');
      const head =
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\nSet-Cookie: a=1\r\n\r\n';
      req.socket.write(head, () => req.socket.destroy());
    };
    const answer = await ask({ method });
    const body = await answer.text();
    if (method === 'GET') expect([answer.status, body]).toEqual([200, 'the whole answer']);
    else expect([answer.status, JSON.parse(body)]).toEqual([503, { error: expect.any(String) }]);
    for (const name of ['content-encoding', 'set-cookie']) expect(answer.headers.has(name)).toBe(false);
  },
);

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

test.each([
  ['a short request', {}],
  ['a streamed request', { method: 'POST', body: 'x'.repeat(20_000) }],
])('a client that leaves takes %s with it, which is no failure of the service', async (_kind, init) => {
  await start();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  service.answer = (req) => req.socket.once('close', () => resolve());
  const leaving = new AbortController();
  const answer = ask({ ...init, signal: leaving.signal });
  await service.arrived(1);
  leaving.abort();
  await expect(answer).rejects.toThrow();
  await closed;
  service.answer = (req) => req.socket.destroy();
  expect((await ask({ method: 'POST', body: 'x' })).status).toBe(503);
  const failures = (await gateway!.metrics()).match(/^gateway_upstream_failures_total\{.*$/gm);
  expect(failures).toEqual([expect.stringMatching(/upstream="webhooks",status="503".*\} 1$/)]);
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

/** A server that only passes requests on. */
async function passOn(isExpectedBack: () => boolean, extra = {}) {
  const all = { ...upstreamLimits, ...limits, ...extra };
  const upstream = createUpstream({ urls: [service.url], limits: all, isExpectedBack });
  const failed: unknown[] = [];
  const passed: ServerResponse[] = [];
  const server = createServer((req, res) => {
    passed.push(res);
    upstream.forward(req, res, { headers: {}, caller: 'one' }).catch((error: unknown) => failed.push(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    upstream.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/`, failed, passed };
}

test('a request whose client leaves before there is a connection never reaches the service', async () => {
  const { port } = new URL(service.url);
  await service.stop();
  const { url, failed, passed } = await passOn(() => true, { maxConnections: 1, totalTimeoutMs: 5000 });
  const leaving = new AbortController();
  const left = fetch(url, { signal: leaving.signal });
  await eventually('the request waits', () => passed.length === 1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await eventually('it is over', () => failed.length === 1);
  await service.start(Number(port));
  expect((await fetch(`${url}next`)).status).toBe(200);
  expect(service.arrivals.map(({ url: path }) => path)).toEqual(['/next']);
});

test('events that arrive after the gateway has ended their stream are dropped', async () => {
  const { port, passed } = await passOn(() => false);
  let stream: ServerResponse | undefined;
  service.answer = (_req, res) => {
    stream = res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(': open\n\n');
  };
  const client = connect(port, '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  // Small enough that the gateway doesn't pause the service while one of them waits.
  const event = `data: ${'x'.repeat(10_000)}\n\n`;
  await eventually('the client takes no more', () => {
    stream?.write(event);
    return (passed[0]?.writableLength ?? 0) > 0;
  });
  const faults: Error[] = [];
  passed[0]!.on('error', (error) => faults.push(error));
  passed[0]!.end();
  await new Promise<void>((resolve) => stream!.write(event, () => afterPoll(resolve)));
  const closed = new Promise((resolve) => passed[0]!.once('close', resolve));
  client.resume();
  await closed;
  client.destroy();
  expect(faults).toEqual([]);
});
