import { expect, test } from 'vitest';
import { partNames, readOptions } from '../options.ts';

test('without arguments all parts run at their full size', () => {
  expect(readOptions([])).toMatchObject({
    ...{ parts: partNames, calls: 20_000, targets: 1_000_000, deliveries: 20_000 },
  });
});

test.each([
  [['gates'], 'there is no part gates'],
  [['--calls', '0'], '--calls is a whole number from 1'],
  [['--calls', ''], '--calls is a whole number from 1'],
  [['--seed', 'x'], '--seed is a whole number from 0'],
  [['--targets', '1.5'], '--targets is a whole number'],
  [['--speed', '1'], "Unknown option '--speed'"],
])('%j is told in one line', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
