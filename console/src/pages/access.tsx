import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { deleteAction, postAction, useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { PathGraph } from '../parts/path-graph.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { useAccessNames } from './access-names.ts';
import { AccessSections, aboutAccess } from './access-sections.tsx';

const newRelationship = { name: 'relationship', title: 'New relationship' };

export function Access() {
  const edges = useList('/api/authorization-edges');
  const names = useAccessNames(edges.data ?? []);
  return (
    <Page
      title="Access"
      about={aboutAccess}
      answers={[edges]}
      actions={<CreateButton creation={newRelationship} />}
    >
      <AccessSections />
      <Explain names={names} />
      <Table
        label="Relationships"
        list={edges}
        keyOf={({ edgeId }) => edgeId}
        empty={
          <Empty title="No relationships yet." action={<CreateButton creation={newRelationship} />}>
            A relationship grants access.
          </Empty>
        }
        columns={[
          { title: 'Subject', of: ({ subject }) => names.nameOf(subject) },
          { title: 'Relation', of: ({ relation }) => relation },
          { title: 'Object', of: ({ object }) => names.nameOf(object) },
          { title: 'Created', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            of: ({ edgeId }) => (
              <ActButton
                look="bad"
                ask="Remove this relationship? The access it grants ends immediately."
                action={deleteAction('Relationship removed', '/api/authorization-edges/{edgeId}', { edgeId })}
              >
                Remove
              </ActButton>
            ),
          },
        ]}
      />
      <CreateDialog creation={newRelationship}>
        {(onCreated) => <AddRelationship names={names} onCreated={onCreated} />}
      </CreateDialog>
    </Page>
  );
}

type Names = ReturnType<typeof useAccessNames>;

const another = 'another';
/** The first option, so that nobody gets access without having been chosen. */
const nobody = ['', 'Choose…'] as const;

function Explain({ names }: { names: Names }) {
  const check = useAction<Schema<'AuthorizationExplanation'>>();
  const explain = (body: object) =>
    check.mutate(postAction('Access checked', '/api/authorization-edges/check', { body }));
  return (
    <Panel title="Check access">
      <Form onSend={explain}>
        <div className="grid gap-4 md:grid-cols-3">
          <Field label="May" name="subject" isRequired options={[nobody, ...names.persons]} />
          <Field
            label="do this"
            name="action"
            options={[
              ['read', 'Read'],
              ['manage', 'Change'],
            ]}
          />
          <Field label="with" name="object" options={names.objects} />
        </div>
        <SubmitRow button="Check" disabled={check.isPending} />
      </Form>
      {check.error && <Fault error={check.error} />}
      {check.data && (
        <div className="mt-4 grid gap-2">
          <p className={check.data.allowed ? 'text-good' : 'text-bad'}>
            {check.data.allowed ? 'Allowed' : 'Denied'}: {check.data.reason}
          </p>
          <PathGraph edges={check.data.path ?? []} nameOf={names.nameOf} />
        </div>
      )}
    </Panel>
  );
}

/** A group exists as soon as a relationship names it, so a new one is typed. */
function AddRelationship({ names, onCreated }: { names: Names; onCreated: OnCreated }) {
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const actionOf = ({ subject, relation, object, subjectGroup, objectGroup }: Record<string, string>) =>
    postAction('Relationship added', '/api/authorization-edges', {
      body: {
        subject: subject === another ? `group:${subjectGroup}#member` : subject,
        relation,
        object: object === another ? `group:${objectGroup}` : object,
      },
    });
  return (
    <CreateForm
      button="Add relationship"
      action={actionOf}
      onDone={({ edgeId }: Schema<'AuthorizationEdge'>) => onCreated(edgeId)}
      onEdit={setChosen}
    >
      <Field
        label="Person or group"
        name="subject"
        isRequired
        options={[nobody, ...names.subjects, [another, 'A new group…']]}
      />
      {chosen.subject === another && <GroupName name="subjectGroup" />}
      <Field
        label="becomes"
        name="relation"
        options={[
          ['member', 'Member: reads'],
          ['admin', 'Admin: changes everything'],
          ['responder', 'Responder: answers the chats of a bot'],
        ]}
      />
      <Field label="of" name="object" options={[...names.objects, [another, 'A new group…']]} />
      {chosen.object === another && <GroupName name="objectGroup" />}
    </CreateForm>
  );
}

const GroupName = ({ name }: { name: string }) => (
  <Field label="Name of the group" name={name} isRequired hint="Letters, digits, _ and -." />
);
