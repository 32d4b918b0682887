import type { Schema } from '@botyard/client/client';
import { dollars } from '../../parts/text.tsx';
import type { verdicts } from '../../search.ts';

export type TestRun = Schema<'EvaluationRun'>;
export type Verdict = (typeof verdicts)[number];

/** The name of a side: the draft, or a version. */
export const nameOfSide = ({ version, isDraft }: TestRun['candidate']): string =>
  isDraft ? `Draft of version ${version}` : `Version ${version}`;

export const progressOf = ({ done, total }: TestRun): string => `${done} of ${total}`;

/** The cost of a run so far. It is unknown if a model has no price, and until the first use is counted. */
export const costOf = ({ costMicroUsd }: TestRun): string =>
  costMicroUsd === null ? 'unknown' : dollars(costMicroUsd);

/** The use of the last answers is counted a moment after the end, which no event tells. */
const countedWithinMs = 10_000;

export const isBeingCounted = ({ finishedAt }: TestRun): boolean =>
  finishedAt !== null && Date.now() - Date.parse(finishedAt) < countedWithinMs;

/** The state of a case, as a word. */
export function stateOfCase({ passed, isUndecided }: { passed: boolean; isUndecided: boolean }): string {
  if (isUndecided) return 'no verdict';
  return passed ? 'passed' : 'failed';
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** A rate with its interval. */
export function rateInWords(rate: TestRun['passRate']): string {
  if (!rate) return 'no verdict';
  const { passed, verdicts, low, high } = rate;
  return `${passed} of ${verdicts} pass, ${percent(passed / verdicts)} (95 % interval ${percent(low)} to ${percent(high)})`;
}

export function verdictsInWords(run: TestRun): string {
  const { baseline, worse, better, same } = run;
  if (!baseline) return 'nothing to compare with';
  return `${worse} worse, ${better} better, ${same} same`;
}
