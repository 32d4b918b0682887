import { expect, test } from 'vitest';
import { dollars } from '../src/parts/text.tsx';

test.each([
  [null, 'no price'],
  [0, '$0.00'],
  [1, 'under $0.0001'],
  [99.5, 'under $0.0001'],
  [100, '$0.0001'],
  [12_300, '$0.0123'],
  [2_500_000, '$2.50'],
])('a cost of %s millionths of a dollar reads %s, and only nothing reads as zero', (microUsd, text) => {
  expect(dollars(microUsd)).toBe(text);
});
