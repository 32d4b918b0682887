import { expect, test } from 'vitest';
import { covers } from '../../src/bus/rights.ts';

test.each([
  ['a.b', 'a.b', true],
  ['a.b', 'a.c', false],
  ['a.b', 'a.b.c', false],
  ['a.b.c', 'a.b', false],
  ['a.*', 'a.b', true],
  ['a.*', 'a.*', true],
  ['a.*', 'a.>', false],
  ['a.*', 'a.b.c', false],
  ['a.b', 'a.*', false],
  ['a.>', 'a.b.c', true],
  ['a.>', 'a.*', true],
  ['a.>', 'a.>', true],
  ['a.>', 'a', false],
  ['>', 'a.b.>', true],
])('%s covers %s: %s', (pattern, subject, isCovered) => {
  expect(covers(pattern, subject)).toBe(isCovered);
});
