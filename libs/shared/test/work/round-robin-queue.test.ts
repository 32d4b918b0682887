import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RoundRobinQueue } from '../../src/work/round-robin-queue.ts';

test('who has little waits behind one item of everybody else, however much they have', () => {
  const turns = new RoundRobinQueue<string>();
  for (let number = 1; number <= 5; number += 1) turns.add('loud', `loud ${number}`);
  turns.add('quiet', 'quiet 1');
  turns.add('third', 'third 1');
  expect(turns.take(4)).toEqual(['loud 1', 'quiet 1', 'third 1', 'loud 2']);
  turns.add('quiet', 'quiet 2');
  expect(turns.take(2)).toEqual(['loud 3', 'quiet 2']);
});

test("everything is taken once, and each owner's own in its order", () => {
  const owner = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(fc.record({ add: owner }), fc.record({ take: fc.integer({ min: 0, max: 4 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const turns = new RoundRobinQueue<{ owner: string; number: number }>();
      const added: { owner: string; number: number }[] = [];
      const taken: { owner: string; number: number }[] = [];
      for (const one of steps) {
        if ('take' in one) taken.push(...turns.take(one.take));
        else {
          const item = { owner: one.add, number: added.length };
          added.push(item);
          turns.add(one.add, item);
        }
        expect(turns.size).toBe(added.length - taken.length);
      }
      taken.push(...turns.take(added.length));
      for (const name of ['a', 'b', 'c']) {
        const ofOwner = (items: typeof added) => items.filter((item) => item.owner === name);
        expect(ofOwner(taken)).toEqual(ofOwner(added));
      }
    }),
  );
});

test('a long queue of one owner is taken in linear time, in its order', async () => {
  const takeAll = (items: readonly number[]) => {
    const queue = new RoundRobinQueue<number>();
    for (const item of items) queue.add('one', item);
    const taken: number[] = [];
    while (queue.size > 0) taken.push(...queue.take(200));
    return taken;
  };
  const make = (size: number) => Array.from({ length: size }, (_none, index) => index);
  expect(takeAll(make(1000))).toEqual(make(1000));
  const growth = await measureGrowth({ make, read: takeAll, size: 20_000 });
  expect(growth.perByte).toBeLessThan(maxGrowth);
});
