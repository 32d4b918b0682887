import { expect, test } from 'vitest';
import { backoffMs, maxAttempts } from '../../src/bus/dead-letters.ts';

test('the waits of a message add up to less than a minute, for any random spread', () => {
  for (let round = 0; round < 200; round += 1) {
    const waits = Array.from({ length: maxAttempts - 1 }, (_, index) => backoffMs(index + 1));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(60_000);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(900);
  }
});

test('retries without a limit wait at most a minute', () => {
  for (const attempts of [7, 20, 1000]) {
    expect(backoffMs(attempts)).toBeLessThanOrEqual(60_000);
    expect(backoffMs(attempts)).toBeGreaterThanOrEqual(30_000);
  }
});
