import { useParams, useSearch } from '@tanstack/react-router';
import { postAction } from '../../api/use-action.ts';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button, State } from '../../parts/controls.tsx';
import { Figures } from '../../parts/figures.tsx';
import { Page } from '../../parts/page.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import { verdicts } from '../../search.ts';
import { JudgeOfRun } from './judge-of-run.tsx';
import { ResultOfCase } from './result.tsx';
import { costOf, isBeingCounted, progressOf, type TestRun, type Verdict } from './run-words.ts';

const live = { events: ['evaluation.changed'] } as const;

/** A run of a test set, with its progress and its results. */
export function TestRunPage() {
  const { runId = '' } = useParams({ strict: false });
  const { verdict } = useSearch({ strict: false });
  const run = useAnswer('/api/evaluations/runs/{runId}', {
    path: { runId },
    live,
    isUnsettled: isBeingCounted,
  });
  const results = useList('/api/evaluations/runs/{runId}/results', {
    path: { runId },
    query: { verdict },
    live,
  });
  const stop = (run.data?.state === 'queued' || run.data?.state === 'running') && (
    <ActButton
      look="bad"
      action={postAction('Run stopped', '/api/evaluations/runs/{runId}/stop', { names: { runId } })}
    >
      Stop
    </ActButton>
  );
  return (
    <Page title={run.data ? `Run of ${nameOfRun(run.data)}` : 'Run'} answers={[run, results]} actions={stop}>
      <Loaded answer={run}>
        {(loaded) => (
          <>
            <AboutRun run={loaded} />
            <JudgeOfRun run={loaded} />
            {loaded.baseline && <VerdictFilter run={loaded} selected={verdict} />}
            <Loaded answer={results}>
              {(list) =>
                list.length === 0 ? (
                  <NoResults run={loaded} isFiltered={verdict !== undefined} />
                ) : (
                  <>
                    <ul aria-label="Results" className="grid grid-cols-[minmax(0,1fr)] gap-3">
                      {list.map((result) => (
                        <ResultOfCase key={result.caseId} run={loaded} result={result} />
                      ))}
                    </ul>
                    <ShowMore list={results} />
                  </>
                )
              }
            </Loaded>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const nameOfRun = ({ candidate: { version, isDraft } }: TestRun): string =>
  isDraft ? `the draft of version ${version}` : `version ${version}`;

function AboutRun({ run }: { run: TestRun }) {
  const { setId, state, baseline, done, total, passed, failed, undecided, lastError, createdAt } = run;
  const set = useAnswer('/api/evaluations/sets/{setId}', { path: { setId } });
  return (
    <>
      <p dir="auto" className="[overflow-wrap:anywhere] text-soft">
        Tests of{' '}
        <TextLink to="/tests/$setId" params={{ setId }}>
          {set.data?.name ?? 'the set'}
        </TextLink>
        , {baseline ? `compared with version ${baseline.version}` : 'compared with nothing'}. Started{' '}
        <Time at={createdAt} />.
      </p>
      {lastError !== null && (
        <p role="alert" dir="auto" className="rounded-lg border border-bad bg-bad-tint p-3 text-sm text-bad">
          The run ended before all cases were answered: {lastError}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <State word={state} />
        <progress aria-label="Answered cases" className="w-48 max-w-full" value={done} max={total} />
        <span className="text-sm tabular-nums">{progressOf(run)} cases answered</span>
      </div>
      <Figures
        figures={[
          ['Passed', String(passed)],
          ['Failed', String(failed)],
          ...(run.judge ? ([['No verdict', String(undecided)]] as const) : []),
          ...(run.costMicroUsd === null ? [] : ([['Cost', costOf(run)]] as const)),
        ]}
      />
    </>
  );
}

const titles: Readonly<Record<Verdict, string>> = { worse: 'Worse', better: 'Better', same: 'Same' };

function VerdictFilter({ run, selected }: { run: TestRun; selected: Verdict | undefined }) {
  const change = useChangeSearch({ replace: true });
  const choices = [
    { verdict: undefined, title: `All ${run.passed + run.failed + run.undecided}` },
    ...verdicts.map((verdict) => ({ verdict, title: `${titles[verdict]} ${run[verdict]}` })),
  ];
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">Cases by verdict</legend>
      {choices.map(({ verdict, title }) => (
        <Button
          key={title}
          aria-pressed={verdict === selected}
          look={verdict === selected ? 'main' : 'plain'}
          onClick={() => change({ verdict })}
        >
          {title}
        </Button>
      ))}
    </fieldset>
  );
}

function NoResults({ run, isFiltered }: { run: TestRun; isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No case with this verdict." />;
  if (run.finishedAt !== null) return <Empty title="No results.">The run ended before its first case.</Empty>;
  return <Empty title="No results yet.">They appear here one by one.</Empty>;
}
