import type { Answer, Schema } from '@botyard/client/client';
import { Panel } from '../../parts/controls.tsx';
import { nameOfSide, rateInWords } from './run-words.ts';

type Run = Answer<'/api/evaluations/runs/{runId}'>;
type Agreement = NonNullable<Run['agreement']>;

/** The judge of a run: its rubric, how many answers passed, and how far it can be relied on. */
export function JudgeOfRun({ run }: { run: Run }) {
  const { judge, agreement, passRate, baselinePassRate, candidate, baseline, undecided } = run;
  if (!judge) return null;
  return (
    <Panel title="Judge">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 text-sm [overflow-wrap:anywhere]">
        <p dir="auto" className="whitespace-pre-wrap">
          {judge.rubric}
        </p>
        <p className="text-soft">
          Read by <bdi>{judge.model}</bdi> ({judge.provider}), {judge.repeats}{' '}
          {judge.repeats === 1 ? 'time' : 'times'} each.
        </p>
        <dl className="grid gap-1">
          <Rate side={nameOfSide(candidate)} rate={passRate} />
          {baseline && <Rate side={nameOfSide(baseline)} rate={baselinePassRate} />}
        </dl>
        {undecided > 0 && (
          <p role="status" className="rounded-lg bg-warn-tint p-3 text-warn">
            {undecided === 1 ? 'One case has' : `${undecided} cases have`} no verdict, because the judge did
            not answer or did not decide. They are neither passed nor failed. Open one to see why, and run the
            set again.
          </p>
        )}
        {agreement && <AgreementWithPeople agreement={agreement} />}
      </div>
    </Panel>
  );
}

const Rate = ({ side, rate }: { side: string; rate: Schema<'EvaluationRun'>['passRate'] }) => (
  <div className="flex flex-wrap gap-x-2">
    <dt className="font-medium">{side}:</dt>
    <dd className="tabular-nums">{rateInWords(rate)}</dd>
  </div>
);

function AgreementWithPeople({ agreement }: { agreement: Agreement }) {
  const { answers, agreements, kappa, isTrusted } = agreement;
  if (answers === 0)
    return (
      <p className="text-soft">
        No answer is marked yet. Open cases below and mark answers as good or bad by the rubric: then you see
        how far this judge can be relied on.
      </p>
    );
  const inNumbers = `It agrees with people about ${agreements} of ${answers} marked answers`;
  if (kappa === null)
    return (
      <p className="text-soft">
        {inNumbers}. Cohen's kappa needs both kinds: mark some answers that are good, and some that are bad.
      </p>
    );
  const withKappa = `${inNumbers} (Cohen's kappa ${kappa.toFixed(2)}).`;
  if (isTrusted) return <p>{withKappa}</p>;
  return (
    <p role="status" className="rounded-lg bg-warn-tint p-3 text-warn">
      {withKappa} Below 0.6 do not rely on this judge: make the rubric clearer, or choose another model.
    </p>
  );
}
