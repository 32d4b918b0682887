import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEgress } from '@botyard/shared/http/egress/egress';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TextWorker } from '../../../src/knowledge/domain/texts/text-worker.ts';
import { runTool } from '../../../src/tools/domain/run-tool.ts';
import type { ToolDeps } from '../../../src/tools/domain/tool.ts';

let server: Server;
let origin: string;
let deps: ToolDeps;
const texts = new TextWorker();
let calls = 0;
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((req, res) => {
    calls += 1;
    answer(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  origin = `http://docs.localhost:${port}`;
  const egress = createEgress({ allowedHosts: [`docs.localhost:${port}`] });
  deps = { egress, texts } as unknown as ToolDeps;
});

beforeEach(() => {
  calls = 0;
});

afterAll(async () => {
  await texts.stop();
  server.closeAllConnections();
  server.close();
});

const get = (url: string, hosts = ['docs.localhost', 'example.com']) =>
  runTool(deps, {
    tenantId: 'tenant',
    kind: 'http_get',
    settings: { hosts },
    parameters: { url },
    signal: new AbortController().signal,
  });

const serve = (type: string, body: string | Buffer, headers: Record<string, string> = {}) => {
  answer = (_req, res) => res.writeHead(200, { 'content-type': type, ...headers }).end(body);
};

describe('content that is read', () => {
  test('a page without its marks, scripts and styles', async () => {
    serve(
      'text/html; charset=utf-8',
      '<html><head><title>T</title><style>p{color:red}</style><script>alert(1)</script></head><body><nav>Menu</nav><h1>Prices</h1><p>One&nbsp;costs <b>5&nbsp;€</b>.</p><script>evil()</script><ul><li>a<li>b</ul></body></html>',
    );
    const { text } = await get(`${origin}/`);
    expect(text).toContain('Prices');
    expect(text.replaceAll('\u00a0', ' ')).toContain('One costs 5 €.');
    expect(text).not.toMatch(/evil|alert|color|</);
  });

  test('JSON and other text unchanged, in its own charset', async () => {
    serve('application/json', '{"a":1}');
    expect((await get(`${origin}/`)).text).toBe('{"a":1}');
    serve('text/plain; charset="iso-8859-1"', Buffer.from('Grüße', 'latin1'));
    expect((await get(`${origin}/`)).text).toBe('Grüße');
    serve('text/plain; charset=klingon', 'hello');
    expect((await get(`${origin}/`)).text).toBe('hello');
  });

  test('the beginning of a long text', async () => {
    serve('text/plain', 'x'.repeat(1_000_000));
    expect((await get(`${origin}/`)).text).toMatch(/^x{262144}\n\[The rest is not shown\.\]$/);
  });

  test.each([
    ['nested a hundred thousand times', '<div>'.repeat(50_000)],
    ['with as many attributes', `<p ${'a=b '.repeat(60_000)}>`],
    ['of open brackets', '<'.repeat(250_000)],
    ['of spaces', ' '.repeat(250_000)],
    ['of references', '&amp'.repeat(60_000)],
    ['of tables', '<table><tr><td>'.repeat(15_000)],
  ])('a hostile page %s, in bounded time', async (_what, page) => {
    serve('text/html', page);
    const before = process.cpuUsage();
    await get(`${origin}/`).catch(() => undefined);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(6000);
  });
});

describe('S-05: requests that are refused without a call', () => {
  test.each([
    ...[
      'http://other.example/',
      'https://example.org/',
      'https://www.example.com/',
      'https://example.com.evil.net/',
    ],
    ...['https://evil.net/?example.com', 'https://example.com@evil.net/', 'https://evil.net#example.com'],
    ...[
      'https://example.com./',
      'https://127.0.0.1/',
      'https://[::1]/',
      'nonsense',
      'javascript:1',
      '//example.com',
    ],
    ...['http://example.com/', 'https://example.com:8443/', 'ftp://example.com/', 'https://u:p@example.com/'],
    'http://docs.localhost/',
  ])('%s', async (url) => {
    await expect(get(url)).rejects.toMatchObject({ name: 'ToolError', outcome: 'refused' });
    expect(calls).toBe(0);
  });

  test('a host that the operator vouches for and the tenant does not allow', async () => {
    await expect(get(`${origin}/`, ['example.com'])).rejects.toMatchObject({ outcome: 'refused' });
    expect(calls).toBe(0);
  });
});

describe('an unusable answer', () => {
  test.each<[string, RequestListener, string, string]>([
    [
      'a redirect',
      (_q, res) => res.writeHead(301, { location: 'http://10.0.0.1/' }).end(),
      'refused',
      'redirect',
    ],
    ['404', (_q, res) => res.writeHead(404).end('secret'), 'failed', 'the host answered 404'],
    ['500', (_q, res) => res.writeHead(500).end('secret'), 'failed', 'the host answered 500'],
    [
      'an image',
      (_q, res) => res.writeHead(200, { 'content-type': 'image/png' }).end('x'),
      'refused',
      'not text',
    ],
    ['nothing known', (_q, res) => res.writeHead(200).end('x'), 'refused', 'not text'],
    [
      'compressed',
      (_q, res) => res.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('x'),
      'failed',
      'compressed',
    ],
    ['a cut connection', (req) => req.socket.destroy(), 'failed', 'could not be reached'],
  ])('%s', async (_what, listener, outcome, words) => {
    answer = listener;
    await expect(get(`${origin}/`)).rejects.toMatchObject({
      outcome,
      message: expect.stringContaining(words),
    });
  });
});
