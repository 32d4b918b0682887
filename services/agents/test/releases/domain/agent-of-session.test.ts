import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isInShare } from '../../../src/releases/domain/agent-of-session.ts';

const releaseId = '01920000-0000-7000-8000-000000000001';
const sessionIds = Array.from({ length: 20_000 }, () => randomUUID());
const inShare = (share: number) =>
  sessionIds.filter((sessionId) => isInShare({ releaseId, sessionId }, share));

test.each([1, 5, 25, 50])('a share of %d percent has so many of the sessions', (share) => {
  const part = inShare(share).length / sessionIds.length;
  expect(Math.abs(part - share / 100)).toBeLessThan(
    4 * Math.sqrt(((share / 100) * (1 - share / 100)) / sessionIds.length),
  );
});

test('a greater share has all sessions of a smaller one', () => {
  const larger = new Set(inShare(25));
  expect(inShare(5).every((sessionId) => larger.has(sessionId))).toBe(true);
});

test('a share of 100 percent has every session', () => {
  expect(inShare(100)).toHaveLength(sessionIds.length);
});

test('another release takes other sessions', () => {
  const other = new Set(
    sessionIds.filter((sessionId) => isInShare({ releaseId: randomUUID(), sessionId }, 50)),
  );
  const both = inShare(50).filter((sessionId) => other.has(sessionId)).length;
  expect(Math.abs(both / sessionIds.length - 0.25)).toBeLessThan(0.02);
});
