import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allowedHosts } from '../../../src/http/egress/allowed-hosts.ts';
import { createEgress, type Egress, type ResolveHost } from '../../../src/http/egress/egress.ts';

let server: Server;
let port: number;
let host: string;
let connections = 0;
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((req, res) => answer(req, res));
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
  host = `docs.localhost:${port}`;
});

beforeEach(() => {
  connections = 0;
  answer = (_req, res) => res.end('hello');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { maxBytes: 1000, timeoutMs: 5000 };
const open = (resolveHost?: ResolveHost): Egress =>
  createEgress({ allowedHosts: [host], ...(resolveHost ? { resolveHost } : {}) });
const get = (url: string, resolveHost?: ResolveHost) => open(resolveHost).request(url, limits);
const never: ResolveHost = () => Promise.reject(new Error('nothing is to be looked up'));

describe('S-05: refused before anything is looked up or connected', () => {
  test.each([
    ...[
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'data:text/plain,x',
      'nonsense',
      '',
    ],
    ...['https://example.com:8443/', 'https://user@example.com/', 'https://u:p@example.com/'],
    ...[
      'https://127.0.0.1/',
      'https://127.1/',
      'https://0x7f.1/',
      'https://0x7f000001/',
      'https://2130706433/',
    ],
    ...[
      'https://0177.0.0.1/',
      'https://017700000001/',
      'https://0/',
      'https://10.1/',
      'https://169.254.169.254/',
    ],
    ...['https://%31%32%37.0.0.1/', 'https://①②⑦.⓪.⓪.①/', 'https://127。0。0。1/', 'https://127.0.0.1./'],
    ...['https://[::1]/', 'https://[::]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/'],
    ...['https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/', 'https://[fe80::1]/', 'https://[fd00::1]/'],
    ...['https://[0:0:0:0:0:ffff:10.0.0.1]/', 'https://[::127.0.0.1]/', 'https://224.0.0.1/'],
  ])('%s', async (url) => {
    await expect(get(url, never)).rejects.toMatchObject({ name: 'EgressError', fault: 'refused' });
  });

  test("another port or name of the operator's hosts", async () => {
    for (const other of [`http://docs.localhost:${port + 1}/`, `http://localhost:${port}/`])
      await expect(get(other, never)).rejects.toMatchObject({ fault: 'refused' });
    expect(connections).toBe(0);
  });
});

describe('S-05: a name', () => {
  test.each([
    ['a private address', ['127.0.0.1']],
    ['a private address among public ones', ['93.184.216.34', '10.0.0.7']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['this machine in IPv6', ['::1']],
  ])('that stands for %s is refused', async (_what, addresses) => {
    const request = get('https://rebound.example/', () => Promise.resolve(addresses));
    await expect(request).rejects.toMatchObject({ fault: 'refused' });
    expect(connections).toBe(0);
  });

  test('is resolved once for a connection, which uses the checked address: a second answer changes nothing', async () => {
    let asked = 0;
    const rebinding: ResolveHost = () => Promise.resolve([asked++ === 0 ? '2fff::1' : '127.0.0.1']);
    // The address is unused, so there is no answer.
    const first = open(rebinding).request('https://rebound.example/', { ...limits, timeoutMs: 300 });
    await expect(first).rejects.toMatchObject({ fault: expect.stringMatching(/failed|timeout/) });
    expect([asked, connections]).toEqual([1, 0]);
    await expect(get('https://rebound.example/', rebinding)).rejects.toMatchObject({ fault: 'refused' });
    expect([asked, connections]).toEqual([2, 0]);
  });

  test('fails if it has no address', async () => {
    await expect(get('https://gone.example/', () => Promise.resolve([]))).rejects.toMatchObject({
      fault: 'failed',
    });
  });
});

describe('a host that the operator vouches for', () => {
  test('is called, with nothing compressed and no connection kept', async () => {
    answer = (req, res) => res.end(JSON.stringify(req.headers));
    const { status, body, isCut } = await get(`http://${host}/x`);
    expect([status, isCut]).toEqual([200, false]);
    expect(JSON.parse(body.toString())).toMatchObject({
      'accept-encoding': 'identity',
      connection: 'close',
      host,
    });
  });

  test('is not followed anywhere else', async () => {
    answer = (_req, res) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    expect(await get(`http://${host}/`)).toMatchObject({ status: 302 });
    expect(connections).toBe(1);
  });

  test('is read up to the limit, even if it sends more', async () => {
    answer = (_req, res) => {
      const more = () => {
        while (!res.destroyed && res.write('x'.repeat(10_000)));
      };
      res.on('drain', more);
      more();
    };
    const { body, isCut } = await get(`http://${host}/`);
    expect([body.length, isCut]).toEqual([1000, true]);
  });

  test.each<[string, RequestListener]>([
    ['never answers', () => undefined],
    ['begins and goes on for ever', (_req, res) => res.write('x')],
  ])('that %s is ended in time', async (_what, listener) => {
    answer = listener;
    const call = open().request(`http://${host}/`, { ...limits, timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ fault: 'timeout' });
  });

  test('fails if it cuts the connection, and a stop ends the call with its own reason', async () => {
    answer = (req) => req.socket.destroy();
    await expect(get(`http://${host}/`)).rejects.toMatchObject({ fault: 'failed' });
    const stop = new AbortController();
    answer = () => stop.abort(new Error('stopping'));
    const call = open().request(`http://${host}/`, { ...limits, signal: stop.signal });
    await expect(call).rejects.toThrow('stopping');
  });
});

test('the setting takes hosts with and without a port, and nothing else', () => {
  expect(allowedHosts.parse(undefined)).toEqual([]);
  expect(allowedHosts.parse('Wiki.internal, docs.localhost:8080,[::1]:81')).toEqual([
    'wiki.internal',
    'docs.localhost:8080',
    '[::1]:81',
  ]);
  for (const wrong of ['http://wiki', 'wiki/path', 'user@wiki', 'a b', '*'])
    expect(allowedHosts.safeParse(wrong).success).toBe(false);
});

describe('an answer that is streamed', () => {
  const read = async (content: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const stream = (limitsOfOne = limits) =>
    open().stream(`http://${host}/`, limitsOfOne, async ({ status, content }) => [
      status,
      await read(content),
    ]);

  test('is read in parts', async () => {
    expect(await stream()).toEqual([200, 'hello']);
  });

  test('ends at the limit, for any declared length', async () => {
    answer = (_req, res) => res.end('x'.repeat(1001));
    await expect(stream()).rejects.toMatchObject({ fault: 'too large' });
  });

  test('ends when it stalls in the middle', async () => {
    answer = (_req, res) => void res.write('hello');
    await expect(stream({ ...limits, timeoutMs: 200 })).rejects.toMatchObject({ fault: 'timeout' });
  });

  test('fails if it breaks off, and a redirect is not followed', async () => {
    answer = (_req, res) => {
      res.setHeader('content-length', '100');
      res.write('hello', () => res.destroy());
    };
    await expect(stream()).rejects.toMatchObject({ fault: 'failed' });
    answer = (_req, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    expect(await stream()).toEqual([302, '']);
  });

  test('passes on an error of its reader', async () => {
    const own = new Error('no room');
    const reading = open().stream(`http://${host}/`, limits, () => Promise.reject(own));
    await expect(reading).rejects.toBe(own);
  });
});
