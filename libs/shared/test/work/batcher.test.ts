import { Batcher } from '@botyard/shared/work/batcher';
import { expect, test } from 'vitest';

/** Writes numbers as texts; refuses the whole batch for an item that `isBad` matches, as a transaction would. */
function open(options: { isBad?: (item: number) => boolean; isOutage?: boolean; maxBatch?: number } = {}) {
  const batches: number[][] = [];
  const batcher = new Batcher<number, string>({
    maxBatch: options.maxBatch ?? 10,
    ownerOf: (item) => (item < 1000 ? 'one' : 'another'),
    isOutage: () => options.isOutage ?? false,
    write: async (items) => {
      batches.push(items);
      await new Promise((resolve) => setImmediate(resolve));
      const bad = items.find((item) => options.isBad?.(item));
      if (bad !== undefined) throw new Error(`bad ${bad}`);
      return items.map((item) => `written ${item}`);
    },
  });
  return { batcher, batches };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('every item gets its own result, and nothing is written twice or lost', async () => {
  const { batcher, batches } = open();
  const results: string[] = [];
  const adding = numbers(95).map(async (item) => {
    for (let turns = 0; turns < item % 7; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    results[item] = await batcher.add(item);
  });
  await Promise.all(adding);
  expect(results).toEqual(numbers(95).map((item) => `written ${item}`));
  expect(batches.flat().sort((a, b) => a - b)).toEqual(numbers(95));
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(10);
});

test('items that arrive together are written together', async () => {
  const { batcher, batches } = open({ maxBatch: 100 });
  await Promise.all(numbers(60).map((item) => batcher.add(item)));
  expect(batches).toEqual([numbers(60)]);
});

test('a bad item fails alone', async () => {
  const { batcher } = open({ isBad: (item) => item === 3 || item === 7 });
  const settled = await Promise.allSettled(numbers(20).map((item) => batcher.add(item)));
  const failed = settled.flatMap(({ status }, item) => (status === 'rejected' ? [item] : []));
  expect(failed).toEqual([3, 7]);
  expect(settled[8]).toEqual({ status: 'fulfilled', value: 'written 8' });
});

test('in an outage a whole batch fails together, and the next batch is tried again', async () => {
  let isDown = true;
  const { batcher, batches } = open({ isBad: () => isDown, isOutage: true });
  const settled = await Promise.allSettled(numbers(10).map((item) => batcher.add(item)));
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
  expect(batches).toHaveLength(1);
  isDown = false;
  expect(await batcher.add(1)).toBe('written 1');
});

test('idle waits for the running write', async () => {
  const { batcher } = open();
  let isWritten = false;
  const adding = batcher.add(1).then(() => {
    isWritten = true;
  });
  await batcher.idle();
  await adding;
  expect(isWritten).toBe(true);
  await batcher.idle();
});

test('owners take turns: one item is not kept waiting by many of another owner', async () => {
  const { batcher, batches } = open({ maxBatch: 10 });
  await Promise.all([...numbers(60), 1000].map((item) => batcher.add(item)));
  expect(batches[0]).toContain(1000);
});
