import type { Schema } from '@botyard/client/client';
import { useRef } from 'react';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, Field, Form, Panel, readForm, State, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { AccessSections, aboutAccess } from './access.tsx';

const path = '/api/auth/policies';
const one = `${path}/{policyId}` as const;

export function Policies() {
  const policies = useList(path);
  return (
    <Page title="Access" about={aboutAccess} answers={[policies]}>
      <AccessSections />
      <Table
        label="Policies"
        list={policies}
        keyOf={({ policyId }) => policyId}
        empty={<Empty title="No policies of your own.">The built-in ones hold.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Text', of: ({ text }) => <code className="text-xs whitespace-pre-wrap">{text}</code> },
          { title: 'State', of: ({ enabled }) => <State word={enabled ? 'active' : 'switched off'} /> },
          { title: 'Actions', of: (policy) => <Actions policy={policy} /> },
        ]}
      />
      <Add />
    </Page>
  );
}

function Actions({ policy: { policyId, enabled } }: { policy: Schema<'Policy'> }) {
  const names = { policyId };
  return (
    <div className="flex gap-2">
      <ActButton
        action={{
          what: enabled ? 'Switch the policy off' : 'Switch the policy on',
          method: 'put',
          path: one,
          names,
          body: { enabled: !enabled },
        }}
      >
        {enabled ? 'Switch off' : 'Switch on'}
      </ActButton>
      <ActButton
        look="bad"
        ask="Delete this policy?"
        action={{ what: 'Delete the policy', method: 'delete', path: one, names }}
      >
        Delete
      </ActButton>
    </div>
  );
}

function Add() {
  const form = useRef<HTMLFormElement>(null);
  const check = useAction<Schema<'PolicyFindings'>>();
  const add = useAction();
  const checkText = () => {
    const { text = '' } = form.current ? readForm(form.current) : {};
    check.mutate({ what: 'Check the policy', method: 'post', path: `${path}/validate`, body: { text } });
  };
  return (
    <Panel title="Add a policy">
      {add.error && <Fault error={add.error} />}
      <Form form={form} onSend={(body) => add.mutate({ what: 'Add a policy', method: 'post', path, body })}>
        <Field label="Name" name="name" isRequired />
        <Field
          label="Text"
          name="text"
          isLong
          isRequired
          hint="In Cedar: forbid(principal, action, resource) when { … };"
        />
        <SubmitRow button="Add" disabled={add.isPending}>
          <Button disabled={check.isPending} onClick={checkText}>
            Check
          </Button>
        </SubmitRow>
      </Form>
      {check.error && <Fault error={check.error} />}
      {check.data && <Findings found={check.data} />}
    </Panel>
  );
}

/** The checker's findings, with line and column. */
function Findings({ found }: { found: Schema<'PolicyFindings'> }) {
  const lines = [
    ...found.issues.map((issue) => ({ ...issue, tone: 'text-bad' })),
    ...found.warnings.map((issue) => ({ ...issue, tone: 'text-warn' })),
  ];
  return (
    <div role="status" className="mt-3 grid gap-1 text-sm">
      {found.valid && <p className="text-good">The policy can be added.</p>}
      {lines.map(({ line, column, message, tone }) => (
        <p key={`${line}:${column} ${message}`} className={tone}>
          {line !== undefined && `Line ${line}, column ${column ?? 1}: `}
          {message}
        </p>
      ))}
    </div>
  );
}
