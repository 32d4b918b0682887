import { expect, test } from 'vitest';
import { neededSessions } from '../../../src/releases/domain/needed-sessions.ts';
import {
  addSession,
  evidenceAgainst,
  evidenceToWithdraw,
  type FinishedSession,
  noEvidence,
  withdraws,
} from '../../../src/releases/domain/sequential-test.ts';
import { equal, withdrawalsOf, worse } from '../simulation.ts';

const evidenceOf = (sessions: readonly FinishedSession[]) => sessions.reduce(addSession, noEvidence);
const times = (count: number, sessions: readonly FinishedSession[]) =>
  Array.from({ length: count }, () => sessions).flat();
const good = { isCandidate: true, isWorse: false, hour: 1 };
const bad = { isCandidate: true, isWorse: true, hour: 1 };
const goodLive = { ...good, isCandidate: false };
const badLive = { ...bad, isCandidate: false };

test('a candidate with three times as many bad sessions is withdrawn in 190 of 200 streams by the computed number', () => {
  const sessions = neededSessions(worse);
  expect(sessions).toBe(513);
  expect(withdrawalsOf(worse, 200, sessions).length).toBeGreaterThanOrEqual(190);
});

test('an equal candidate is withdrawn in at most 10 of 200 streams of 10,000 sessions, looked at after each', () => {
  expect(withdrawalsOf(equal, 200, 10_000).length).toBeLessThanOrEqual(10);
});

test.each([
  { share: 0.05, rules: 1 },
  { share: 0.05, rules: 4 },
  { share: 0.25, rules: 4 },
])('a share of $share with $rules rules keeps both bounds', (about) => {
  const stream = { ...worse, ...about };
  expect(withdrawalsOf(stream, 50, neededSessions(stream)).length).toBeGreaterThanOrEqual(47);
  expect(withdrawalsOf({ ...equal, ...about }, 50, 5000).length).toBeLessThanOrEqual(3);
});

test('below 30 finished sessions on a side nothing is decided, whatever they were', () => {
  const pair = [bad, goodLive];
  expect(withdraws(evidenceOf(times(29, pair)), 1)).toBe(false);
  expect(withdraws(evidenceOf(times(30, pair)), 1)).toBe(true);
});

test('a candidate that is better is never withdrawn, and loses evidence with each session', () => {
  const evidence = evidenceOf(times(200, [good, badLive]));
  expect(evidenceAgainst(evidence)).toBeLessThan(0.001);
  expect(withdraws(evidence, 1)).toBe(false);
});

test('sessions of different hours are never compared: a bad hour of the service says nothing about the candidate', () => {
  const hours = Array.from({ length: 100 }, (_, hour) => hour);
  const alternating = hours.map((hour) => (hour % 2 === 0 ? { ...bad, hour } : { ...goodLive, hour }));
  expect(evidenceAgainst(evidenceOf(alternating))).toBe(1);
});

test('an hour in which every session is bad, or none, is no evidence', () => {
  expect(evidenceAgainst(evidenceOf(times(50, [bad, badLive])))).toBe(1);
  expect(evidenceAgainst(evidenceOf(times(50, [good, goodLive])))).toBe(1);
});

test('more rules need more evidence, in all at most 5 % of false withdrawals', () => {
  expect(evidenceToWithdraw(1)).toBe(20);
  expect(evidenceToWithdraw(4)).toBe(80);
});

test('a block has a mean ratio of 1 if both versions are equal, so that looking often does no harm', () => {
  // Three live sessions and one of the candidate, one of them bad: each of the four is equally likely to be it.
  const arrangements = [0, 1, 2, 3].map((badOne) =>
    [goodLive, goodLive, goodLive, good].map((session, index) => ({ ...session, isWorse: index === badOne })),
  );
  const blocks = arrangements.map(([first, second, third, last]) => {
    // The candidate closes the block, so the live ones before it stay in it.
    return evidenceAgainst(evidenceOf([first!, second!, third!, last!]));
  });
  expect(blocks.reduce((sum, ratio) => sum + ratio, 0) / blocks.length).toBeCloseTo(1, 10);
});
