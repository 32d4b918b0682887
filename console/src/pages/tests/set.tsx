import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMayChange } from '../../api/acting.tsx';
import { deleteAction, putAction } from '../../api/use-action.ts';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button } from '../../parts/controls.tsx';
import { Page } from '../../parts/page.tsx';
import { SaveFile } from '../../parts/save-file.tsx';
import { SearchForm } from '../../parts/search-form.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import { CaseDialog } from './case-dialog.tsx';
import { exportSet } from './export-set.ts';
import { ImportCases } from './import-cases.tsx';
import { EditJudge } from './judge-dialog.tsx';
import { RunSet, RunsOfSet } from './runs-of-set.tsx';

type TestSet = Schema<'EvaluationSet'>;

/** A test set with its cases. */
export function TestSetPage() {
  const { setId = '' } = useParams({ strict: false });
  const { q, case: caseId } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const set = useAnswer('/api/evaluations/sets/{setId}', { path: { setId } });
  const cases = useList('/api/evaluations/sets/{setId}/cases', { path: { setId }, query: { q } });
  const change = useChangeSearch();
  const open = (id: string | undefined) => change({ case: id });
  const actions = mayChange && (
    <>
      {set.data && <EditJudge set={set.data} />}
      {set.data && <RequireSet set={set.data} />}
      <ActButton
        look="bad"
        ask="Delete this set with all its cases and runs?"
        action={deleteAction('Set deleted', '/api/evaluations/sets/{setId}', { setId })}
        onDone={() => navigate({ to: '/tests' })}
      >
        Delete
      </ActButton>
    </>
  );
  return (
    <Page title={set.data?.name ?? 'Test set'} answers={[set, cases]} actions={actions}>
      <Loaded answer={set}>{(loaded) => <AboutSet set={loaded} />}</Loaded>
      {set.data && <RunSet set={set.data} />}
      <RunsOfSet setId={setId} />
      <SearchForm hint="Searches the names of cases." />
      <div className="flex flex-wrap gap-2">
        {mayChange && (
          <Button look="main" onClick={() => open('new')}>
            Add a case
          </Button>
        )}
        {mayChange && <ImportCases setId={setId} />}
        {set.data && (
          <SaveFile name="tests.yaml" read={() => exportSet(set.data as TestSet)}>
            Export as YAML
          </SaveFile>
        )}
      </div>
      <Table
        label="Cases"
        list={cases}
        keyOf={(one) => one.caseId}
        empty={
          q ? (
            <Empty title="No matching cases.">Try another search.</Empty>
          ) : (
            <Empty title="No cases yet.">
              Add one here, import a table, or save an answer as a test in the inbox.
            </Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            of: (one) => (
              <TextLink to="." search={(now) => ({ ...now, case: one.caseId })}>
                {one.name}
              </TextLink>
            ),
          },
          { title: 'Messages', of: ({ messages }) => messages, isNumber: true },
          { title: 'Checks', of: ({ assertions }) => assertions, isNumber: true },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      {caseId && <CaseDialog key={caseId} setId={setId} caseId={caseId} onClose={() => open(undefined)} />}
    </Page>
  );
}

function AboutSet({ set }: { set: TestSet }) {
  const agent = useAnswer('/api/definitions/agents/{id}', { path: { id: set.agentId } });
  return (
    <p className="text-soft">
      Tests{' '}
      <TextLink to="/agents/$agentId" params={{ agentId: set.agentId }}>
        {agent.data?.name ?? 'the agent'}
      </TextLink>{' '}
      by {set.cases} {set.cases === 1 ? 'case' : 'cases'}. A search in documents finds{' '}
      {set.documents === 'recorded' ? 'the passages of the case' : "today's passages"}.{' '}
      {set.judge && (
        <>
          The words of answers are judged by <bdi>{set.judge.model}</bdi>.{' '}
        </>
      )}
      {set.required && 'A draft goes live only after a run of it without a regression.'}
    </p>
  );
}

/** Switches whether the agent goes live without a run of the set. */
function RequireSet({ set }: { set: TestSet }) {
  const { setId, name, agentId, documents, mayUsePlatformKey, required } = set;
  return (
    <ActButton
      action={putAction(
        required ? 'The agent goes live without these tests' : 'The agent needs these tests to go live',
        '/api/evaluations/sets/{setId}',
        { names: { setId }, body: { name, agentId, documents, mayUsePlatformKey, required: !required } },
      )}
    >
      {required ? 'Stop requiring' : 'Require before go-live'}
    </ActButton>
  );
}
