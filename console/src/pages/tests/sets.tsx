import type { Schema } from '@botyard/client/client';
import { useNavigate } from '@tanstack/react-router';
import { postAction } from '../../api/use-action.ts';
import { useAgents } from '../../api/use-agents.ts';
import { useList } from '../../api/use-answer.ts';
import { Field, State } from '../../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../../parts/create-dialog.tsx';
import { CreateForm } from '../../parts/create-form.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';

type TestSet = Schema<'EvaluationSet'>;

const newSet = { name: 'set', title: 'New set' };

/** The test sets of the tenant. */
export function Tests() {
  const sets = useList('/api/evaluations/sets', { query: { limit: 100 } });
  const agents = useAgents();
  const runs = useList('/api/evaluations/runs', {
    query: { limit: 100 },
    live: { events: ['evaluation.changed'] },
  });
  const lastRunOf = (setId: string) => runs.data?.find((run) => run.setId === setId);
  return (
    <Page
      title="Tests"
      about="A test is a conversation and what the answer has to fulfil. It calls nothing but the model."
      answers={[sets]}
      actions={<CreateButton creation={newSet} />}
    >
      <Table
        label="Test sets"
        list={sets}
        keyOf={({ setId }) => setId}
        empty={
          <Empty title="No tests yet." action={<CreateButton creation={newSet} />}>
            Open an answer in the inbox and choose “Save as a test”, or begin with an empty set.
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            of: ({ setId, name }) => (
              <TextLink to="/tests/$setId" params={{ setId }}>
                {name}
              </TextLink>
            ),
          },
          { title: 'Agent', of: ({ agentId }) => agents.nameOf(agentId) },
          { title: 'Cases', of: ({ cases }) => cases, isNumber: true },
          { title: 'Last run', of: ({ setId }) => <LastRun run={lastRunOf(setId)} /> },
        ]}
      />
      <CreateDialog creation={newSet}>{() => <NewSet agents={agents.data ?? []} />}</CreateDialog>
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

function NewSet({ agents }: { agents: readonly { id: string; name: string }[] }) {
  const navigate = useNavigate();
  const open = ({ setId }: TestSet) => void navigate({ to: '/tests/$setId', params: { setId } });
  if (agents.length === 0) return <p className="text-soft">Create an agent first: a set tests one agent.</p>;
  return (
    <CreateForm
      button="Create the set"
      action={({ name, agentId }) =>
        postAction('Set created', '/api/evaluations/sets', { body: { name, agentId } })
      }
      onDone={open}
    >
      <Field label="Name" name="name" isRequired />
      <Field label="Agent" name="agentId" options={agents.map(({ id, name }) => [id, name] as const)} />
    </CreateForm>
  );
}
