import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Action, deleteAction, putAction, useAction } from '../api/use-action.ts';
import type { Shown } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, SubmitRow } from '../parts/controls.tsx';
import { Editing } from '../parts/editing.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { AgentSections } from './agent-sections.tsx';

/** The properties that a page passes to the form of a definition. */
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

/** All definitions of a kind, searchable by name and description. */
export function Definitions({ title, about, list, actions, children }: DefinitionsProps) {
  return (
    <Page title={title} about={about} answers={[list]} actions={actions}>
      <AgentSections />
      <SearchForm hint="Searches names and descriptions." />
      {children}
    </Page>
  );
}

interface DefinitionProps<Found> {
  /** The kind in words, for example "tool". */
  kind: string;
  answer: Shown & { data: Found | undefined; error: Error | null; refetch: () => unknown };
  /** The definition's address in the API. */
  one: Required<Pick<Action, 'path' | 'names'>>;
  /** The kinds of definitions that may use it. It can't be deleted while one does. */
  users: string;
  home: '/agents/tools' | '/agents/capabilities';
  about: (found: Found) => string;
  children: (found: Found, sending: Sending) => ReactNode;
}

/** One definition, with a form to change it and a button to delete it. */
export function Definition<Found extends { name: string; version: number }>({
  kind,
  answer,
  one: { path, names },
  users,
  home,
  about,
  children,
}: DefinitionProps<Found>) {
  const navigate = useNavigate();
  const change = useAction();
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  const remove = (
    <ActButton
      look="bad"
      ask={`Delete this ${kind}? It can't be deleted while ${users} use it.`}
      action={deleteAction(`${title} deleted`, path, names)}
      onDone={() => navigate({ to: home })}
    >
      Delete
    </ActButton>
  );
  const onSend = (body: object) => change.mutate(putAction(`${title} saved`, path, { names, body }));
  const sending = { error: change.error, isBusy: change.isPending, button: 'Save', onSend };
  return (
    <Page title={answer.data?.name ?? title} answers={[answer]} actions={remove}>
      <AgentSections />
      {change.error && <Fault error={change.error} />}
      <Loaded answer={answer}>
        {(found) => (
          <>
            <p className="text-soft first-letter:uppercase">{about(found)}</p>
            <Editing value={found} version={found.version} sending={change}>
              {(shown) => children(shown, sending)}
            </Editing>
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
  /** The fields besides name and description. */
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
    <Form error={error} onSend={onSend}>
      <Field
        label="Name"
        name="name"
        isRequired
        {...(nameHint && { hint: nameHint })}
        defaultValue={definition?.name ?? ''}
      />
      <Field
        label="Description"
        name="description"
        {...(descriptionHint && { hint: descriptionHint })}
        defaultValue={definition?.description ?? ''}
      />
      {children}
      <SubmitRow button={button} disabled={isBusy} />
    </Form>
  );
}
