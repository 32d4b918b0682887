import type { Schema } from '@botyard/client/client';
import { useNavigate } from '@tanstack/react-router';
import { useMayChange } from '../../api/acting.tsx';
import { postAction, useAction } from '../../api/use-action.ts';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { Button, State } from '../../parts/controls.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { costOf, isBeingCounted, nameOfSide, progressOf, verdictsInWords } from './run-words.ts';

/** Buttons that run the set: the draft beside the live version, or the live version alone. */
export function RunSet({ set }: { set: Schema<'EvaluationSet'> }) {
  const { setId, agentId } = set;
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const agent = useAnswer('/api/definitions/agents/{id}', { path: { id: agentId } });
  const start = useAction<{ runId: string }>();
  if (!mayChange) return null;
  const hasDraft = agent.data?.hasDraft === true;
  const run = (candidate: { draft?: true }) =>
    start.mutate(
      postAction('The run has started', '/api/evaluations/runs', { body: { setId, ...candidate } }),
      { onSuccess: ({ runId }) => void navigate({ to: '/tests/runs/$runId', params: { runId } }) },
    );
  return (
    <div className="flex flex-wrap gap-2">
      {hasDraft && (
        <Button look="main" disabled={start.isPending} onClick={() => run({ draft: true })}>
          Compare the draft with the live version
        </Button>
      )}
      <Button disabled={start.isPending} onClick={() => run({})}>
        Run the live version
      </Button>
    </div>
  );
}

/** The last runs of a set. Absent before the first one. */
export function RunsOfSet({ setId }: { setId: string }) {
  const runs = useList('/api/evaluations/runs', {
    query: { setId },
    live: { events: ['evaluation.changed'] },
    isUnsettled: isBeingCounted,
  });
  if (runs.data?.length === 0) return null;
  return (
    <section className="grid gap-3">
      <h2 className="text-lg font-semibold">Runs</h2>
      <Table
        label="Runs"
        list={runs}
        keyOf={(run) => run.runId}
        empty={null}
        columns={[
          {
            title: 'Candidate',
            of: ({ runId, candidate }) => (
              <TextLink to="/tests/runs/$runId" params={{ runId }}>
                {nameOfSide(candidate)}
              </TextLink>
            ),
          },
          {
            title: 'Compared with',
            of: ({ baseline }) => (baseline ? nameOfSide(baseline) : 'nothing'),
          },
          { title: 'State', of: ({ state }) => <State word={state} /> },
          { title: 'Cases', of: progressOf, isNumber: true },
          { title: 'Passed', of: ({ passed }) => passed, isNumber: true },
          { title: 'Beside it', of: verdictsInWords },
          { title: 'Cost', of: costOf, isNumber: true },
          { title: 'Started', of: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </section>
  );
}
