import { type Agreement, trustedKappa } from '@botyard/contracts/http/evaluations-judge';
import type { MarkCount } from '../../store/marks.ts';

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
