import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Action, useAction } from '../api/use-action.ts';
import type { Shown } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, SubmitRow } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { AgentSections } from './agent-sections.tsx';

/** Properties that a definition's form gets from its page. */
export interface Sending {
  error: Error | null;
  isBusy: boolean;
  button: string;
  onSend: (body: object) => void;
}

interface DefinitionsProps {
  title: string;
  about: string;
  list: Shown;
  actions?: ReactNode;
  children: ReactNode;
}

/** All definitions of a kind, which are searched by their names and descriptions. */
export function Definitions({ title, about, list, actions, children }: DefinitionsProps) {
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <Page title={title} about={about} answers={[list]} actions={actions}>
      <AgentSections />
      <SearchForm
        hint="Name and description"
        value={q}
        onSearch={(text) => void navigate({ to: '.', search: (now) => ({ ...now, q: text }) })}
      />
      {children}
    </Page>
  );
}

interface DefinitionProps<Found> {
  /** Its kind, as a word. */
  kind: string;
  answer: Shown & { data: Found | undefined; error: Error | null; refetch: () => unknown };
  /** Where the API has it. */
  one: Pick<Action, 'path' | 'names'>;
  /** Its possible users, which keep it from being deleted. */
  users: string;
  home: '/agents/tools' | '/agents/capabilities';
  about: (found: Found) => string;
  children: (found: Found, sending: Sending) => ReactNode;
}

/** One definition: what it is, its form, and a way to delete it. */
export function Definition<Found extends { name: string }>({
  kind,
  answer,
  one,
  users,
  home,
  about,
  children,
}: DefinitionProps<Found>) {
  const navigate = useNavigate();
  const change = useAction();
  const remove = (
    <ActButton
      look="bad"
      ask={`Delete this ${kind}? ${users} that have it keep you from it.`}
      action={{ what: `Delete the ${kind}`, method: 'delete', ...one }}
      onDone={() => void navigate({ to: home })}
    >
      Delete
    </ActButton>
  );
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  const onSend = (body: object) => change.mutate({ what: `Change the ${kind}`, method: 'put', ...one, body });
  const sending = { error: change.error, isBusy: change.isPending, button: 'Save', onSend };
  return (
    <Page title={answer.data?.name ?? title} answers={[answer]} actions={remove}>
      <AgentSections />
      {change.error && <Fault error={change.error} />}
      <Loaded answer={answer}>
        {(found) => (
          <>
            <p className="text-soft first-letter:uppercase">{about(found)}</p>
            {children(found, sending)}
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface DefinitionFormProps extends Omit<Sending, 'onSend'> {
  definition: { name: string; description: string } | undefined;
  nameHint?: string;
  descriptionHint?: string;
  onSend: (fields: Record<string, string>) => void;
  /** Its fields beside name and description. */
  children: ReactNode;
}

export function DefinitionForm({
  definition,
  nameHint,
  descriptionHint,
  error,
  isBusy,
  button,
  onSend,
  children,
}: DefinitionFormProps) {
  return (
    <Form onSend={onSend}>
      <Field
        label="Name"
        name="name"
        isRequired
        {...(nameHint && { hint: nameHint })}
        defaultValue={definition?.name ?? ''}
        issue={issueAt(error, 'name')}
      />
      <Field
        label="Description"
        name="description"
        {...(descriptionHint && { hint: descriptionHint })}
        defaultValue={definition?.description ?? ''}
        issue={issueAt(error, 'description')}
      />
      {children}
      <SubmitRow button={button} disabled={isBusy} />
    </Form>
  );
}
