import type { Answer, Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { CallDetails } from '../../parts/call-details.tsx';
import { State } from '../../parts/controls.tsx';
import { Loaded } from '../../parts/states.tsx';
import { count, dollars, milliseconds } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { type Assertion, inWords } from './assertion-words.ts';
import { JudgementOfAnswer, MarkAnswer, type Side } from './judgement.tsx';
import { nameOfSide, stateOfCase, type TestRun } from './run-words.ts';

type Result = Answer<'/api/evaluations/runs/{runId}/results/{caseId}'>;
type CaseAnswer = Result['candidate'];

interface ResultProps {
  run: TestRun;
  result: Schema<'ListedEvaluationResult'>;
}

/** The result of a case. Its name opens both answers. */
export function ResultOfCase({ run, result }: ResultProps) {
  const { case: openCase } = useSearch({ strict: false });
  const { caseId, name, verdict, marks } = result;
  const isOpen = openCase === caseId;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap items-baseline gap-2">
        <TextLink
          to="."
          search={(now) => ({ ...now, case: isOpen ? undefined : caseId })}
          replace
          resetScroll={false}
          aria-expanded={isOpen}
          dir="auto"
          className="min-w-0 flex-1 basis-48 font-medium [overflow-wrap:anywhere]"
        >
          {name}
        </TextLink>
        {marks > 0 && <span className="text-sm text-soft">{marks === 1 ? '1 mark' : `${marks} marks`}</span>}
        <State word={stateOfCase(result)} />
        {verdict && <State word={verdict} />}
      </div>
      {isOpen && <Answers run={run} caseId={caseId} />}
    </li>
  );
}

function Answers({ run, caseId }: { run: TestRun; caseId: string }) {
  const { runId, setId } = run;
  const result = useAnswer('/api/evaluations/runs/{runId}/results/{caseId}', { path: { runId, caseId } });
  const testCase = useAnswer('/api/evaluations/sets/{setId}/cases/{caseId}', { path: { setId, caseId } });
  return (
    <Loaded answer={result}>
      {({ candidate, baseline, createdAt }) => {
        // After an edit of the case its checks may be others than those of the run.
        const { data: storedCase } = testCase;
        const assertions = storedCase && storedCase.updatedAt <= createdAt ? storedCase.assertions : [];
        return (
          <>
            <div className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${baseline ? 'md:grid-cols-2' : ''}`}>
              <AnswerOf
                run={run}
                caseId={caseId}
                side="candidate"
                answer={candidate}
                assertions={assertions}
              />
              {baseline && (
                <AnswerOf
                  run={run}
                  caseId={caseId}
                  side="baseline"
                  answer={baseline}
                  assertions={assertions}
                />
              )}
            </div>
            <TextLink
              to="/tests/$setId"
              params={{ setId }}
              search={(now) => ({ ...now, case: caseId, verdict: undefined })}
              className="justify-self-start text-sm"
            >
              Open the case
            </TextLink>
          </>
        );
      }}
    </Loaded>
  );
}

interface AnswerProps {
  run: TestRun;
  caseId: string;
  side: Side;
  answer: CaseAnswer;
  assertions: readonly Assertion[];
}

function AnswerOf({ run, caseId, side, answer, assertions }: AnswerProps) {
  const { passed, faults, text, failure, handover, approvals, toolCalls, judgement, mark } = answer;
  const name = nameOfSide(run[side] ?? run.candidate);
  const state = stateOfCase({ passed, isUndecided: !passed && faults.length === 0 });
  return (
    <section
      aria-label={name}
      className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 rounded-lg border border-line p-3 text-sm [overflow-wrap:anywhere]"
    >
      <h3 className="flex flex-wrap items-baseline gap-2 font-semibold">
        {name} <State word={state} />
      </h3>
      {faults.length > 0 && (
        <ul aria-label="Failed checks" className="grid gap-2 text-bad">
          {faults.map(({ assertion, message }) => (
            <li key={`${assertion} ${message}`}>
              <FailedCheck check={assertion === null ? undefined : assertions[assertion]} message={message} />
            </li>
          ))}
        </ul>
      )}
      <p dir="auto" className="whitespace-pre-wrap">
        {text ?? <span className="text-soft">No answer{failure === null ? '' : `: ${failure}`}</span>}
      </p>
      {handover !== null && <p dir="auto">Handed over: {handover}</p>}
      {approvals.length > 0 && <p dir="auto">Asked for an approval: {approvals.join(', ')}</p>}
      {toolCalls.length > 0 && (
        <ul aria-label="Tool calls" className="grid gap-2">
          {toolCalls.map((call, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stored list of calls, which may be the same.
            <li key={place}>
              <details>
                <summary className="cursor-pointer">
                  <bdi className="font-mono">{call.name}</bdi> <State word={call.outcome} />
                </summary>
                <CallDetails call={call} />
              </details>
            </li>
          ))}
        </ul>
      )}
      {judgement && <JudgementOfAnswer judgement={judgement} />}
      {run.judge && text && (
        <MarkAnswer key={caseId} runId={run.runId} caseId={caseId} side={side} name={name} mark={mark} />
      )}
      <UseOf answer={answer} />
    </section>
  );
}

/** A failed check: what it wants, and why it did not hold. */
function FailedCheck({ check, message }: { check: Assertion | undefined; message: string }) {
  return (
    <>
      {check && (
        <p dir="auto" className="font-medium">
          Expected: {inWords(check)}
        </p>
      )}
      <p dir="auto">{message}</p>
    </>
  );
}

function UseOf({ answer }: { answer: CaseAnswer }) {
  const { costMicroUsd, inputTokens, outputTokens, durationMs } = answer;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-soft">
      <Fact name="Cost" value={dollars(costMicroUsd)} />
      <Fact name="Tokens" value={`${count(inputTokens)} in, ${count(outputTokens)} out`} />
      <Fact name="Time" value={milliseconds(durationMs)} />
    </dl>
  );
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div className="flex gap-1">
    <dt>{name}</dt>
    <dd className="text-ink tabular-nums">{value}</dd>
  </div>
);
