import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchOnce, sendEarly } from '../src/api/first-requests.ts';

const network = vi.fn<(request: Request) => Promise<Response>>();
beforeEach(() => {
  vi.stubGlobal('fetch', network);
  vi.useFakeTimers({ toFake: ['performance'] });
  network.mockImplementation(async ({ url }) => new Response(`${network.mock.calls.length} ${url}`));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  network.mockReset();
});

let tests = 0;
const addressOfTest = (): string => {
  tests += 1;
  return `http://console.example/api/${tests}`;
};
const requestFor = (url: string, headers: Record<string, string> = {}) => new Request(url, { headers });
const textOf = async (response: Response | Promise<Response>) => (await response).text();

test('a response that was sent for early is used once, by the same request', async () => {
  const url = addressOfTest();
  expect(await textOf(sendEarly(requestFor(url)))).toBe(`1 ${url}`);
  expect(await textOf(fetchOnce(requestFor(url)))).toBe(`1 ${url}`);
  expect(await textOf(fetchOnce(requestFor(url)))).toBe(`2 ${url}`);
});

test('a request in flight is not sent again', async () => {
  const url = addressOfTest();
  const early = sendEarly(requestFor(url));
  expect(await textOf(fetchOnce(requestFor(url)))).toBe(`1 ${url}`);
  await early;
  expect(network).toHaveBeenCalledTimes(1);
});

test.each([
  { what: 'another tenant', headers: { 'x-tenant-id': 'other' } },
  { what: 'another caller', headers: { authorization: 'Bearer other' } },
])('a response is never handed to $what', async ({ headers }) => {
  const url = addressOfTest();
  await sendEarly(requestFor(url, { 'x-tenant-id': 'own', authorization: 'Bearer own' }));
  const other = { 'x-tenant-id': 'own', authorization: 'Bearer own', ...headers };
  expect(await textOf(fetchOnce(requestFor(url, other)))).toBe(`2 ${url}`);
});

test('a change is always sent', async () => {
  const url = addressOfTest();
  await sendEarly(requestFor(url));
  expect(await textOf(fetchOnce(new Request(url, { method: 'POST' })))).toBe(`2 ${url}`);
});

test('a response that waited for ten seconds is asked for again', async () => {
  const url = addressOfTest();
  await sendEarly(requestFor(url));
  vi.advanceTimersByTime(10_000);
  expect(await textOf(fetchOnce(requestFor(url)))).toBe(`2 ${url}`);
});

test('a request that failed early is sent again', async () => {
  const url = addressOfTest();
  network.mockRejectedValueOnce(new TypeError('the network is gone'));
  await expect(sendEarly(requestFor(url))).rejects.toThrow('the network is gone');
  expect(await textOf(fetchOnce(requestFor(url)))).toBe(`2 ${url}`);
});
