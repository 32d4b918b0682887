import { ApiError } from '@botyard/client/api-error';
import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { type Action, deleteAction, postAction, putAction, useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, Field, Form, readForm, State, SubmitRow } from '../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../parts/create-dialog.tsx';
import { Editing } from '../parts/editing.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { AccessSections, aboutAccess } from './access-sections.tsx';

type Policy = Schema<'Policy'>;

const path = '/api/auth/policies';
const one = `${path}/{policyId}` as const;

const newPolicy = { name: 'policy', title: 'New policy' };

export function Policies() {
  const policies = useList(path);
  const navigate = useNavigate();
  const onDone = ({ policyId }: Policy) =>
    void navigate({ to: '/access/policies/$policyId', params: { policyId } });
  return (
    <Page
      title="Access"
      about={aboutAccess}
      answers={[policies]}
      actions={<CreateButton creation={newPolicy} />}
    >
      <AccessSections />
      <Table
        label="Policies"
        list={policies}
        keyOf={({ policyId }) => policyId}
        empty={
          <Empty title="No custom policies yet." action={<CreateButton creation={newPolicy} />}>
            The built-in policies apply.
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            of: ({ policyId, name }) => (
              <TextLink to="/access/policies/$policyId" params={{ policyId }}>
                {name}
              </TextLink>
            ),
          },
          { title: 'Text', of: ({ text }) => <code className="text-xs whitespace-pre-wrap">{text}</code> },
          { title: 'State', of: ({ enabled }) => <State word={wordOf(enabled)} /> },
          { title: 'Actions', of: (policy) => <Actions policy={policy} /> },
        ]}
      />
      <CreateDialog creation={newPolicy}>
        {() => <PolicyForm action={postAction('Policy added', path)} button="Add policy" onDone={onDone} />}
      </CreateDialog>
    </Page>
  );
}

const wordOf = (enabled: boolean): string => (enabled ? 'active' : 'disabled');

/** One policy, with its name and its text. */
export function PolicyPage() {
  const { policyId = '' } = useParams({ strict: false });
  const names = { policyId };
  const policy = useAnswer(one, { path: names });
  const navigate = useNavigate();
  return (
    <Page
      title={policy.data?.name ?? 'Policy'}
      about={aboutAccess}
      answers={[policy]}
      actions={
        policy.data && <Actions policy={policy.data} onDeleted={() => navigate({ to: '/access/policies' })} />
      }
    >
      <AccessSections />
      <Loaded answer={policy}>
        {(found) => (
          <>
            <p className="flex flex-wrap items-center gap-2 text-soft">
              <State word={wordOf(found.enabled)} />
              <span>
                Updated <Time at={found.updatedAt} />. Changes apply within a second. You can always fix a
                policy here, even one that forbids everything.
              </span>
            </p>
            <PolicyForm policy={found} action={putAction('Policy saved', one, { names })} button="Save" />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({
  policy: { policyId, enabled },
  onDeleted,
}: {
  policy: Policy;
  onDeleted?: () => unknown;
}) {
  const names = { policyId };
  return (
    <div className="flex gap-2">
      <ActButton
        action={putAction(enabled ? 'Policy disabled' : 'Policy enabled', one, {
          names,
          body: { enabled: !enabled },
        })}
      >
        {enabled ? 'Disable' : 'Enable'}
      </ActButton>
      <ActButton
        look="bad"
        ask="Delete this policy? This can't be undone."
        action={deleteAction('Policy deleted', one, names)}
        {...(onDeleted && { onDone: onDeleted })}
      >
        Delete
      </ActButton>
    </div>
  );
}

interface PolicyFormProps {
  policy?: Policy;
  action: Action;
  button: string;
  onDone?: (policy: Policy) => void;
}

/** Edits the name and the text. The checker's findings appear below the text after a check or a failed save. */
function PolicyForm({ policy, action, button, onDone }: PolicyFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const check = useAction<Schema<'PolicyFindings'>>();
  const send = useAction<Policy>({ isErrorShown: true });
  const checkText = () => {
    const { text = '' } = form.current ? readForm(form.current) : {};
    send.reset();
    check.mutate(postAction('Policy checked', `${path}/validate`, { body: { text } }));
  };
  const sendFields = (body: object) => {
    check.reset();
    send.mutate({ ...action, body }, { onSuccess: (saved) => onDone?.(saved) });
  };
  const error = send.error ?? check.error;
  const findings = check.data ?? findingsOf(send.error);
  return (
    <div className="grid gap-4">
      {error && <Fault error={error} />}
      <Editing
        value={{ name: policy?.name ?? '', text: policy?.text ?? '' }}
        version={`${policy?.name} ${policy?.text}`}
        sending={send}
      >
        {({ name, text }) => (
          <Form form={form} onSend={sendFields}>
            <Field label="Name" name="name" isRequired defaultValue={name} issue={issueAt(error, 'name')} />
            <Field
              label="Text"
              name="text"
              isLong
              isCode
              isRequired
              hint="Written in Cedar, for example: forbid(principal, action, resource) when { … };"
              defaultValue={text}
            />
            {findings && <Findings found={findings} />}
            <SubmitRow button={button} disabled={send.isPending}>
              <Button disabled={check.isPending} onClick={checkText}>
                Check
              </Button>
            </SubmitRow>
          </Form>
        )}
      </Editing>
    </div>
  );
}

/** Returns the issues with the text that prevented the save. */
function findingsOf(error: Error | null): Schema<'PolicyFindings'> | undefined {
  const issues = error instanceof ApiError ? error.issues.filter(({ path: at }) => at === 'text') : [];
  if (issues.length === 0) return undefined;
  return { valid: false, issues: issues.map((issue) => ({ ...issue, path: 'text' })), warnings: [] };
}

/** The checker's findings, with line and column. */
function Findings({ found }: { found: Schema<'PolicyFindings'> }) {
  const lines = [
    ...found.issues.map((issue) => ({ ...issue, tone: 'text-bad' })),
    ...found.warnings.map((issue) => ({ ...issue, tone: 'text-warn' })),
  ];
  return (
    <div role="status" className="grid gap-1 text-sm">
      {found.valid && <p className="text-good">The policy can be saved.</p>}
      {lines.map(({ line, column, message, tone }) => (
        <p key={`${line}:${column} ${message}`} className={`first-letter:uppercase ${tone}`}>
          {line !== undefined && `line ${line}, column ${column ?? 1}: `}
          {message}
        </p>
      ))}
    </div>
  );
}
