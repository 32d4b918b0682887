import { expect, test } from 'vitest';
import { EndpointCache } from '../../../src/endpoints/domain/endpoint-cache.ts';

function open() {
  const loads: PromiseWithResolvers<{ value: number } | null>[] = [];
  const cache = new EndpointCache<{ value: number }>(() => {
    const load = Promise.withResolvers<{ value: number } | null>();
    loads.push(load);
    return load.promise;
  });
  return { cache, loads };
}

test('simultaneous requests for an endpoint load it once, and it is cached', async () => {
  const { cache, loads } = open();
  const asking = Promise.all([cache.find('a'), cache.find('a'), cache.find('a')]);
  await Promise.resolve();
  loads[0]!.resolve({ value: 1 });
  expect(await asking).toEqual([{ value: 1 }, { value: 1 }, { value: 1 }]);
  expect(await cache.find('a')).toEqual({ value: 1 });
  expect(loads).toHaveLength(1);
});

test.each(['forget', 'forgetAll'] as const)(
  '%s while it loads: the outdated value is not remembered',
  async (way) => {
    const { cache, loads } = open();
    const asking = cache.find('a');
    cache[way]('a');
    loads[0]!.resolve({ value: 1 });
    expect(await asking).toEqual({ value: 1 });
    const again = cache.find('a');
    loads[1]!.resolve({ value: 2 });
    expect(await again).toEqual({ value: 2 });
    expect(await cache.find('a')).toEqual({ value: 2 });
  },
);

test.each(['forget', 'forgetAll'] as const)('%s invalidates the cache', async (way) => {
  const { cache, loads } = open();
  const first = cache.find('a');
  loads[0]!.resolve({ value: 1 });
  await first;
  cache[way]('a');
  const again = cache.find('a');
  expect(loads).toHaveLength(2);
  loads[1]!.resolve({ value: 2 });
  expect(await again).toEqual({ value: 2 });
});

test('a failure and an absence are not remembered', async () => {
  const { cache, loads } = open();
  const failing = cache.find('a');
  loads[0]!.reject(new Error('down'));
  await expect(failing).rejects.toThrow('down');
  const absent = cache.find('a');
  loads[1]!.resolve(null);
  expect(await absent).toBeNull();
  const lookup = cache.find('a');
  loads[2]!.resolve({ value: 3 });
  expect(await lookup).toEqual({ value: 3 });
});
