import type { Schema } from '@botyard/client/client';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { Button, Field, Form, Panel, State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

export function Access() {
  const edges = useList('/api/authorization-edges');
  const policies = useList('/api/auth/policies');
  return (
    <Page
      title="Access"
      about="Relationships and policies must both allow a request."
      answers={[edges, policies]}
    >
      <Explain />
      <h2 className="text-lg font-semibold">Relationships</h2>
      <Table
        label="Relationships"
        list={edges}
        keyOf={({ edgeId }) => edgeId}
        empty={<Empty title="No relationships yet." />}
        columns={[
          { title: 'Who', of: ({ subject }) => subject },
          { title: 'Is', of: ({ relation }) => relation },
          { title: 'Of', of: ({ object }) => object },
          { title: 'Since', of: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Policies</h2>
      <Table
        label="Policies"
        list={policies}
        keyOf={({ policyId }) => policyId}
        empty={<Empty title="No policies of your own.">The built-in ones hold.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Text', of: ({ text }) => <code className="text-xs whitespace-pre-wrap">{text}</code> },
          { title: 'State', of: ({ enabled }) => <State word={enabled ? 'active' : 'switched off'} /> },
        ]}
      />
    </Page>
  );
}

function Explain() {
  const check = useAction<Schema<'AuthorizationExplanation'>>();
  return (
    <Panel title="May somebody do something, and why?">
      <Form
        onSend={(body) =>
          check.mutate({
            what: 'Explain the access',
            method: 'post',
            path: '/api/authorization-edges/check',
            body,
          })
        }
      >
        <Field label="Who" name="subject" isRequired hint="As user:… or group:…" />
        <Field label="Does" name="action" choices={['read', 'manage']} />
        <Field label="To" name="object" isRequired hint="As tenant:… or bot:…" />
        <div>
          <Button type="submit" look="main" disabled={check.isPending}>
            Explain
          </Button>
        </div>
      </Form>
      {check.error && <Fault error={check.error} />}
      {check.data && (
        <div className="mt-4 grid gap-2">
          <p className={check.data.allowed ? 'text-good' : 'text-bad'}>
            {check.data.allowed ? 'Allowed' : 'Refused'}: {check.data.reason}
          </p>
          <ol className="grid gap-1 text-sm">
            {check.data.path?.map(({ edgeId, subject, relation, object }) => (
              <li key={edgeId}>
                {subject} —{relation}→ {object}
              </li>
            ))}
          </ol>
        </div>
      )}
    </Panel>
  );
}
