import { LockMissedError, MissedLocks } from '@botyard/shared/db/missed-locks';
import { eventually } from '@botyard/testing/eventually';
import { expect, test } from 'vitest';

test('a transaction that misses a second lock waits for its turn there, and leaves the first to others', async () => {
  const locks = new MissedLocks();
  let isSecondTaken = true;
  let triesOfFirstInLine = 0;
  const firstInLine = locks.repeat(async () => {
    triesOfFirstInLine += 1;
    if (isSecondTaken) throw new LockMissedError('second');
  });
  await eventually('it has the turn at the second lock', () => triesOfFirstInLine > 1);
  const missed = ['first', 'second'];
  let tries = 0;
  const ofBoth = locks.repeat(async () => {
    tries += 1;
    const lock = missed.shift();
    if (lock !== undefined) throw new LockMissedError(lock);
  });
  await eventually('it has missed both', () => missed.length === 0);
  let triesOfOther = 0;
  await locks.repeat(async () => {
    triesOfOther += 1;
    if (triesOfOther === 1) throw new LockMissedError('first');
  });
  const seen = triesOfFirstInLine;
  await eventually('the first in line tries again', () => triesOfFirstInLine > seen);
  expect(tries).toBe(2);
  isSecondTaken = false;
  await Promise.all([firstInLine, ofBoth]);
  expect(tries).toBe(3);
});
