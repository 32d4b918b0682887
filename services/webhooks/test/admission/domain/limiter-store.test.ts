import { ServiceHarness } from '@botyard/testing/service-harness';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createLimiterStore } from '../../../src/admission/domain/limiter-store.ts';

const limit = 100;
let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(() => harness?.close());

const newStore = (): Store => createLimiterStore(harness.databaseAs('webhooks'), limit);

async function hits(store: Store, client: string, times: number): Promise<number[]> {
  const numbers: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const { totalHits } = (await store.increment(client)) as ClientRateLimitInfo;
    numbers.push(totalHits);
  }
  return numbers;
}

async function countedOf(client: string): Promise<number | undefined> {
  const query = 'select hits from webhooks.rate_windows where client = $1';
  const [row] = await harness.asOwner<{ hits: number }>(query, [client]);
  return row?.hits;
}

test('W-08: every number up to the limit is given once, over all instances and simultaneous requests', async () => {
  const stores = [newStore(), newStore(), newStore()];
  const all = await Promise.all(
    Array.from({ length: limit * 3 }, async (_, index) => hits(stores[index % 3]!, 'crowd', 1)),
  );
  const within = all.flat().filter((number) => number <= limit);
  expect(within.sort((left, right) => left - right)).toEqual(
    Array.from({ length: limit }, (_, index) => index + 1),
  );
});

test('W-08: numbers reserved by one instance are not given by another, and near the limit none are reserved', async () => {
  const [one, other] = [newStore(), newStore()];
  const first = await hits(one, 'taken', 10);
  const ahead = (await countedOf('taken'))! - first.length;
  expect(ahead).toBeGreaterThan(0);
  const second = await hits(other, 'taken', limit);
  expect(first.filter((number) => second.includes(number))).toEqual([]);
  expect(second.filter((number) => number <= limit)).toHaveLength(limit - first.length - ahead);
  expect(await hits(one, 'taken', ahead + 1)).toEqual([
    ...Array.from({ length: ahead }, (_, index) => first.length + 1 + index),
    expect.toSatisfy((number: number) => number > limit),
  ]);
  const [last, next] = await hits(newStore(), 'taken', 2);
  expect(next).toBe(last! + 1);
});

test('a client with a single request has only one more counted in advance', async () => {
  expect(await hits(newStore(), 'once', 1)).toEqual([1]);
  expect(await countedOf('once')).toBe(2);
});

test('most requests of a frequent client need no query', async () => {
  const database = harness.databaseAs('webhooks');
  const store = createLimiterStore(database, limit);
  const connections = vi.spyOn(database.pool, 'connect');
  await hits(store, 'often', limit / 2);
  expect(connections.mock.calls.length).toBeLessThan(limit / 4);
});

test('reserved numbers expire with their minute', async () => {
  const store = newStore();
  await hits(store, 'minute', 10);
  await harness.asOwner("update webhooks.rate_windows set ends_at = now() - interval '1 second'");
  const later = performance.now() + 61_000;
  vi.spyOn(performance, 'now').mockReturnValue(later);
  expect(await hits(store, 'minute', 1)).toEqual([1]);
});
