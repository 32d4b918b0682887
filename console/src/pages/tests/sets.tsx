import type { Schema } from '@botyard/client/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMayChange } from '../../api/acting.tsx';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Field, Form, Panel, State, SubmitRow } from '../../parts/controls.tsx';
import { issueAt } from '../../parts/issue-at.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, Fault } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/text.tsx';

type TestSet = Schema<'EvaluationSet'>;

/** The test sets of the tenant. */
export function Tests() {
  const sets = useList('/api/evaluations/sets', { query: { limit: 100 } });
  const agents = useList('/api/definitions/agents', { query: { limit: 100 } });
  const runs = useList('/api/evaluations/runs', {
    query: { limit: 100 },
    live: { events: ['evaluation.changed'] },
  });
  const nameOf = new Map((agents.data ?? []).map(({ id, name }) => [id, name]));
  const lastRunOf = (setId: string) => runs.data?.find((run) => run.setId === setId);
  return (
    <Page
      title="Tests"
      about="A test is a conversation and what the answer has to fulfil. It calls nothing but the model."
      answers={[sets]}
    >
      <Table
        label="Test sets"
        list={sets}
        keyOf={({ setId }) => setId}
        empty={
          <Empty title="No tests yet.">
            Open an answer in the inbox and choose “Save as a test”, or create a set below.
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            of: ({ setId, name }) => (
              <Link to="/tests/$setId" params={{ setId }} className="text-accent underline">
                {name}
              </Link>
            ),
          },
          { title: 'Agent', of: ({ agentId }) => nameOf.get(agentId) ?? '…' },
          { title: 'Cases', of: ({ cases }) => cases, isNumber: true },
          { title: 'Last run', of: ({ setId }) => <LastRun run={lastRunOf(setId)} /> },
        ]}
      />
      <CreateSet agents={agents.data ?? []} />
    </Page>
  );
}

function LastRun({ run }: { run: Schema<'EvaluationRun'> | undefined }) {
  if (!run) return <span className="text-soft">never</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <State word={run.state} /> <Time at={run.finishedAt ?? run.createdAt} />
    </span>
  );
}

function CreateSet({ agents }: { agents: readonly { id: string; name: string }[] }) {
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const create = useAction<TestSet>();
  if (!mayChange) return null;
  const { error } = create;
  const send = ({ name, agentId }: Record<string, string>) =>
    create.mutate(
      { what: 'Set created', method: 'post', path: '/api/evaluations/sets', body: { name, agentId } },
      { onSuccess: ({ setId }) => void navigate({ to: '/tests/$setId', params: { setId } }) },
    );
  return (
    <Panel title="Create a set">
      {error && <Fault error={error} />}
      {agents.length === 0 ? (
        <p className="text-soft">Create an agent first: a set tests one agent.</p>
      ) : (
        <Form onSend={send}>
          <Field label="Name" name="name" isRequired issue={issueAt(error, 'name')} />
          <Field
            label="Agent"
            name="agentId"
            options={agents.map(({ id, name }) => [id, name] as const)}
            issue={issueAt(error, 'agentId')}
          />
          <SubmitRow button="Create the set" disabled={create.isPending} />
        </Form>
      )}
    </Panel>
  );
}
