import { expect, test } from 'vitest';
import { countLine } from '../count-reporter.ts';

test('the last line counts the tests, and names skipped ones only when there are any', () => {
  expect(countLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(countLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});
