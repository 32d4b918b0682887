import type { Schema } from '@botyard/client/client';
import type { verdicts } from '../../search.ts';

export type TestRun = Schema<'EvaluationRun'>;
export type Verdict = (typeof verdicts)[number];

/** The name of a side: the draft, or a version. */
export const nameOfSide = ({ version, isDraft }: TestRun['candidate']): string =>
  isDraft ? `Draft of version ${version}` : `Version ${version}`;

export const progressOf = ({ done, total }: TestRun): string => `${done} of ${total}`;

/** The number of cases with each verdict. */
export const verdictCounts = ({ passed, failed, better, worse }: TestRun): Record<Verdict, number> => ({
  worse,
  better,
  same: passed + failed - better - worse,
});

export function verdictsInWords(run: TestRun): string {
  if (!run.baseline) return 'nothing to compare with';
  const { worse, better, same } = verdictCounts(run);
  return `${worse} worse, ${better} better, ${same} same`;
}
