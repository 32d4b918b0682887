import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readBounded } from '@botyard/shared/http/bounded-body';
import { hadNothingToConnectWith } from '@botyard/shared/http/no-connection';
import { afterEach, expect, test } from 'vitest';
import { createProviderRequest } from '../../../src/models/clients/provider-request.ts';

const servers: Server[] = [];

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const request = createProviderRequest();

test('a redirect is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const url = await startServer((asked, answer) => {
    paths.push(asked.url);
    answer.writeHead(307, { location: '/elsewhere' }).end();
  });
  await expect(request(`${url}/chat`, { method: 'POST', body: '{}' })).rejects.toMatchObject({
    cause: { message: 'it redirects, with 307' },
  });
  expect(paths).toEqual(['/chat']);
});

test('an answer that is packed without a request for it is unpacked, up to the limit', async () => {
  let accepted: unknown;
  const url = await startServer((asked, answer) => {
    accepted = asked.headers['accept-encoding'];
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(1000)));
  });
  const whole = await request(url, {});
  expect((await readBounded(whole, 1000)).toString()).toBe('a'.repeat(1000));
  expect(accepted).toBe('identity');
  await expect(readBounded(await request(url, {}), 999)).rejects.toThrow('more than 999 bytes');
});

test('an answer that breaks off while it is packed is an error', async () => {
  const packed = gzipSync('a'.repeat(1000));
  const url = await startServer((_asked, answer) => {
    answer.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length });
    answer.write(packed.subarray(0, 10), () => answer.destroy());
  });
  await expect(readBounded(await request(url, {}), 1000)).rejects.toThrow();
});

test('a form arrives with its parts and their boundary', async () => {
  const url = await startServer(async (asked, answer) => {
    const headers = { 'content-type': `${asked.headers['content-type']}` };
    const chunks = await Array.fromAsync(asked);
    const form = await new Response(Buffer.concat(chunks), { headers }).formData();
    answer.end(`${form.get('model')}, ${await (form.get('file') as File).text()}`);
  });
  const body = new FormData();
  body.set('model', 'm');
  body.set('file', new Blob(['said'], { type: 'audio/ogg' }), 'a.ogg');
  const answer = await request(url, { method: 'POST', body });
  expect((await readBounded(answer, 100)).toString()).toBe('m, said');
});

test('a request that is stopped while the answer is read ends with the reason', async () => {
  const url = await startServer((_asked, answer) => {
    answer.writeHead(200).write('a');
  });
  const stop = new AbortController();
  const answer = await request(url, { signal: stop.signal });
  const reading = readBounded(answer, 1000);
  const reason = new Error('stopping');
  stop.abort(reason);
  await expect(reading).rejects.toBe(reason);
});

test("without a connection the system's reason is reported", async () => {
  const url = await startServer(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  const failed = await request(url, {}).catch((error: unknown) => error);
  expect(failed).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  expect(hadNothingToConnectWith(failed)).toBe(false);
});
