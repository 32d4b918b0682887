import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RoundRobinQueue } from '../../src/work/round-robin-queue.ts';

test('an owner with few items waits behind one item of every other owner, for any number of items', () => {
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

test('a long queue of one owner keeps its order, even if items arrive while it is taken', () => {
  const queue = new RoundRobinQueue<number>();
  const taken: number[] = [];
  for (let item = 0; item < 5000; item += 1) {
    queue.add('one', item);
    if (item % 3 === 0) taken.push(...queue.take(2));
  }
  while (queue.size > 0) taken.push(...queue.take(200));
  expect(taken).toEqual(Array.from({ length: 5000 }, (_none, index) => index));
});
