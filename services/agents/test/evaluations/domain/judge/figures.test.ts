import type { JudgeVerdict } from '@botyard/contracts/http/evaluations-judge';
import { expect, test } from 'vitest';
import {
  agreementOf,
  passRateOf,
  passRateOfRepeats,
  verdictOfRepeats,
} from '../../../../src/evaluations/domain/judge/pass-rate.ts';

/** `+` passed, `-` failed, `?` without a verdict. */
const repeats = (signs: string) =>
  [...signs].map((sign): { verdict: JudgeVerdict } => ({
    verdict: sign === '+' ? 'passed' : sign === '-' ? 'failed' : 'none',
  }));

// As `statsmodels.stats.proportion.proportion_confint(passed, verdicts, method='wilson')` gives them.
test.each([
  [8, 10, 0.4902, 0.9433],
  [50, 100, 0.4038, 0.5962],
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [1, 1, 0.2065, 1],
  [95, 100, 0.8882, 0.9785],
])('the Wilson interval of %i of %i is %d to %d', (passed, verdicts, low, high) => {
  expect(passRateOf(passed, verdicts)).toEqual({ passed, verdicts, low, high });
});

test('without a verdict there is no rate, and missing verdicts count for none', () => {
  expect(passRateOf(0, 0)).toBeNull();
  expect(passRateOfRepeats(repeats('???'))).toBeNull();
  expect(passRateOfRepeats(repeats('+-?'))).toMatchObject({ passed: 1, verdicts: 2 });
});

test.each([
  ['+', 'passed'],
  ['-', 'failed'],
  ['?', 'none'],
  ['++-', 'passed'],
  ['++?', 'passed'],
  ['+??', 'none'],
  ['+-?', 'none'],
  ['--?', 'failed'],
  ['+-', 'failed'],
  ['+?', 'none'],
  ['-?', 'failed'],
  ['++++?????', 'none'],
  ['+++++????', 'passed'],
])('the repeats %s are the verdict %s, whatever the missing ones would have been', (signs, verdict) => {
  expect(verdictOfRepeats(repeats(signs))).toBe(verdict);
  if (verdict === 'none') return;
  for (const missing of ['+', '-'])
    expect(verdictOfRepeats(repeats(signs.replaceAll('?', missing)))).toBe(verdict);
});

const counted = (goodPassed: number, goodFailed: number, badPassed: number, badFailed: number) =>
  agreementOf([
    { mark: 'good', verdict: 'passed', answers: goodPassed },
    { mark: 'good', verdict: 'failed', answers: goodFailed },
    { mark: 'bad', verdict: 'passed', answers: badPassed },
    { mark: 'bad', verdict: 'failed', answers: badFailed },
  ]);

test("Cohen's kappa is the agreement beyond chance", () => {
  expect(counted(20, 5, 10, 15)).toEqual({ answers: 50, agreements: 35, kappa: 0.4, isTrusted: false });
  expect(counted(5, 0, 0, 5)).toMatchObject({ kappa: 1, isTrusted: true });
  expect(counted(0, 5, 5, 0)).toMatchObject({ kappa: -1, isTrusted: false });
  expect(counted(90, 0, 10, 0)).toMatchObject({ agreements: 90, kappa: 0, isTrusted: false });
});

test('a judge is trusted from a kappa of exactly 0.6', () => {
  expect(counted(4, 1, 1, 4)).toMatchObject({ kappa: 0.6, isTrusted: true });
  expect(counted(39, 11, 10, 40)).toMatchObject({ isTrusted: false });
});

test('kappa is not defined without marks, or if all of both are the same', () => {
  expect(agreementOf([])).toEqual({ answers: 0, agreements: 0, kappa: null, isTrusted: false });
  expect(counted(7, 0, 0, 0)).toMatchObject({ answers: 7, agreements: 7, kappa: null, isTrusted: false });
});
