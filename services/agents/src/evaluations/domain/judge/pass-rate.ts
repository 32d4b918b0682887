import {
  type Agreement,
  type Judgement,
  type JudgeVerdict,
  type PassRate,
  trustedKappa,
} from '@botyard/contracts/http/evaluations-judge';
import type { MarkCount } from '../../store/marks.ts';

/** The quantile of the normal distribution for 95 %. */
const z = 1.959964;

/** A rate with the Wilson score interval, which also holds for few numbers and for rates near 0 and 1. */
export function passRateOf(passed: number, verdicts: number): PassRate | null {
  if (verdicts === 0) return null;
  const rate = passed / verdicts;
  const spread = z * Math.sqrt((rate * (1 - rate)) / verdicts + z ** 2 / (4 * verdicts ** 2));
  const middle = rate + z ** 2 / (2 * verdicts);
  const scale = 1 + z ** 2 / verdicts;
  const low = passed === 0 ? 0 : rounded((middle - spread) / scale);
  const high = passed === verdicts ? 1 : rounded((middle + spread) / scale);
  return { passed, verdicts, low, high };
}

const rounded = (share: number): number => Math.round(share * 1e4) / 1e4;

type Repeats = readonly Pick<Judgement['repeats'][number], 'verdict'>[];

const countOf = (repeats: Repeats, wanted: JudgeVerdict): number =>
  repeats.filter(({ verdict }) => verdict === wanted).length;

export const passRateOfRepeats = (repeats: Repeats): PassRate | null =>
  passRateOf(countOf(repeats, 'passed'), repeats.length - countOf(repeats, 'none'));

/** The verdict of all repeats. Missing ones count for neither side, so they never change it. */
export function verdictOfRepeats(repeats: Repeats): JudgeVerdict {
  if (countOf(repeats, 'passed') * 2 > repeats.length) return 'passed';
  return countOf(repeats, 'failed') * 2 >= repeats.length ? 'failed' : 'none';
}

/** Cohen's kappa of people and the judge. */
export function agreementOf(counts: readonly MarkCount[]): Agreement {
  const sum = (of: (count: MarkCount) => boolean): number =>
    counts.filter(of).reduce((total, { answers }) => total + answers, 0);
  const answers = sum(() => true);
  const agreements = sum(({ mark, verdict }) => (mark === 'good') === (verdict === 'passed'));
  const [good, passed] = [sum(({ mark }) => mark === 'good'), sum(({ verdict }) => verdict === 'passed')];
  // In whole numbers, so that a kappa at the bound is exact.
  const byChance = good * passed + (answers - good) * (answers - passed);
  const kappa =
    byChance === answers ** 2 ? null : (agreements * answers - byChance) / (answers ** 2 - byChance);
  return { answers, agreements, kappa, isTrusted: kappa !== null && kappa >= trustedKappa };
}
