import { within } from '@botyard/shared/work/within';
import { expect, test } from 'vitest';

test('work that ends in time has its result or its failure, and longer work has none', async () => {
  expect(await within(10_000, Promise.resolve('done'))).toBe('done');
  await expect(within(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await within(1, new Promise(() => undefined))).toBeUndefined();
});
