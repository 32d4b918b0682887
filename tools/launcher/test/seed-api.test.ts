import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createApi } from '../seed-api.ts';

/** An API that answers 503 a given number of times, and then 200. */
async function busyApi(refusals: number) {
  const calls: string[] = [];
  const server = createServer((req, res) => {
    calls.push(req.method ?? '');
    res.statusCode = calls.length > refusals ? 200 : 503;
    res.setHeader('content-type', 'application/json');
    res.end('{"name":"demo"}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { api: createApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), calls };
}
const Shape = z.object({ name: z.string() });

test('reads are retried while a service is unavailable', async () => {
  const { api, calls } = await busyApi(2);
  expect(await api.get('/api/bots', Shape)).toEqual({ name: 'demo' });
  expect(calls).toEqual(['GET', 'GET', 'GET']);
});

test('writes are not retried, because they may have taken effect', async () => {
  const { api, calls } = await busyApi(1);
  await expect(api.post('/api/bots', {}, Shape)).rejects.toThrow('POST /api/bots returned 503');
  expect(calls).toEqual(['POST']);
});
