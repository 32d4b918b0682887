import { expect, test } from 'vitest';
import { partNames, readOptions } from '../options.ts';

test('without arguments all parts run at their full size', () => {
  expect(readOptions([])).toMatchObject({
    parts: partNames,
    calls: 20_000,
    targets: 1_000_000,
    deliveries: 20_000,
  });
});

test.each([
  [['gates'], 'unknown part gates: did you mean gate?'],
  [['--calls', '0'], '--calls takes a whole number from 1'],
  [['--calls', ''], '--calls takes a whole number from 1'],
  [['--seed', 'x'], '--seed takes a whole number from 0'],
  [['--targets', '1.5'], '--targets takes a whole number'],
  [['--speed', '1'], 'unknown option --speed: did you mean --seed?'],
])('%j is told in one line', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
