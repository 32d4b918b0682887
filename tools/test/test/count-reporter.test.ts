import { expect, test } from 'vitest';
import { countLine, slowestFiles } from '../count-reporter.ts';

test('the last line counts the tests, and names skipped ones only when there are any', () => {
  expect(countLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(countLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

test('the ten files that took longest are named, the slowest first', () => {
  const times = Array.from({ length: 12 }, (_, seconds) => ({ path: `test/${seconds}.test.ts`, seconds }));
  const lines = slowestFiles(times).trimEnd().split('\n');
  expect(lines).toHaveLength(11);
  expect(lines.slice(0, 3)).toEqual([
    'the slowest files:',
    '   11.0 s  test/11.test.ts',
    '   10.0 s  test/10.test.ts',
  ]);
  expect(lines.at(-1)).toBe('    2.0 s  test/2.test.ts');
});

test('a run of one file names none as slow', () => {
  expect(slowestFiles([])).toBe('');
  expect(slowestFiles([{ path: 'test/only.test.ts', seconds: 9 }])).toBe('');
});
