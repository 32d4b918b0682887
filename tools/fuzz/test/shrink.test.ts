import { expect, test } from 'vitest';
import { shrink } from '../shrink.ts';

const numbers = Array.from({ length: 100 }, (_, index) => index);
const holds = (kept: readonly number[], wanted: readonly number[]) =>
  Promise.resolve(wanted.every((one) => kept.includes(one)));

test.each([[[]], [[42]], [[0, 99]], [[3, 50, 51, 97]]])(
  'what is needed to fail is what is left, in its order: %j',
  async (wanted) => {
    expect(await shrink(numbers, (kept) => holds(kept, wanted), { withinMs: 10_000 })).toEqual(wanted);
  },
);

test('when time is over, what is left still fails', async () => {
  const left = await shrink(numbers, (kept) => holds(kept, [7, 8]), { withinMs: 0 });
  expect(left).toEqual(expect.arrayContaining([7, 8]));
});
