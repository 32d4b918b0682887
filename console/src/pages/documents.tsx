import type { Schema } from '@botyard/client/client';
import { deleteAction, postAction, useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { AgentSections } from './agent-sections.tsx';
import { useQuestion } from './agent-studio/use-question.ts';
import { SearchingAgents } from './searching-agents.tsx';
import { UploadForm } from './upload-document.tsx';

const path = '/api/context-sources';

const newDocument = { name: 'document', title: 'New document' };
const newFile = { name: 'file', title: 'Upload a document' };

/** The documents that agents search with their tools. */
export function Documents() {
  const documents = useList(path, { everyMs: 4000 });
  return (
    <Page
      title="Documents"
      about="Agents search these documents and answer from them."
      answers={[documents]}
      actions={
        <>
          <CreateButton creation={newFile} look="plain" />
          <CreateButton creation={newDocument} />
        </>
      }
    >
      <AgentSections />
      <Table
        label="Documents"
        list={documents}
        keyOf={({ sourceId }) => sourceId}
        empty={
          <Empty title="No documents yet." action={<CreateButton creation={newDocument} />}>
            Write a text or upload a file, then choose the agents that search it.
          </Empty>
        }
        columns={[
          { title: 'Title', of: ({ title }) => title },
          { title: 'Kind', of: ({ type }) => type },
          {
            title: 'State',
            of: ({ status, lastError }) => (
              <>
                <State word={status} /> {lastError}
              </>
            ),
          },
          { title: 'Passages', of: ({ chunkCount }) => count(chunkCount), isNumber: true },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            title: 'Actions',
            of: ({ sourceId }) => (
              <ActButton
                look="bad"
                ask="Delete this document? Agents will no longer find its content."
                action={deleteAction('Document deleted', `${path}/{sourceId}`, { sourceId })}
              >
                Delete
              </ActButton>
            ),
          },
        ]}
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <SearchingAgents />
        <Find />
      </div>
      <CreateDialog creation={newDocument}>
        {(onCreated) => <NewDocument onCreated={onCreated} />}
      </CreateDialog>
      <CreateDialog creation={newFile}>
        {(onCreated) => <UploadForm onUploaded={({ sourceId }) => onCreated(sourceId)} />}
      </CreateDialog>
    </Page>
  );
}

function Find() {
  const find = useAction<Schema<'FoundPassage'>[]>();
  return (
    <Panel title="Test the search">
      <Form
        onSend={({ query }) =>
          find.mutate(postAction('Documents searched', `${path}/search`, { body: { query } }))
        }
      >
        <Field label="Query" name="query" isRequired />
        <SubmitRow button="Search" look="plain" disabled={find.isPending} />
      </Form>
      {find.error && <Fault error={find.error} />}
      {find.data && (
        <ol aria-label="Passages" className="mt-4 grid gap-3">
          {find.data.length === 0 && <li className="text-soft">No matching passages.</li>}
          {find.data.map(({ chunkId, title, heading, text }) => (
            <li key={chunkId} className="grid gap-1">
              <p className="text-sm font-medium">{[title, heading].filter(Boolean).join(' · ')}</p>
              <p dir="auto" className="break-words whitespace-pre-wrap">
                {text}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function NewDocument({ onCreated }: { onCreated: OnCreated }) {
  const { data: question = '' } = useQuestion();
  return (
    <CreateForm
      key={question}
      button="Add document"
      action={(body) => postAction('Document added', path, { body })}
      onDone={({ sourceId }: Schema<'ContextSource'>) => onCreated(sourceId)}
    >
      {question && (
        <p className="text-sm text-soft">
          Begun with a message from a chat. Add below it what the agent should know.
        </p>
      )}
      <Field label="Title" name="title" isRequired defaultValue={question.slice(0, 80)} />
      <Field label="Kind" name="type" choices={['text', 'markdown', 'html']} />
      <Field label="Text" name="text" isLong isRequired defaultValue={question && `${question}\n\n`} />
    </CreateForm>
  );
}
