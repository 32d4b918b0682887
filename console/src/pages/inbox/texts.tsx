import type { Schema } from '@botyard/client/client';
import { useRef } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Field, Form, Panel, SubmitRow } from '../../parts/controls.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { InboxSections } from './inbox-sections.tsx';

const labelsPath = '/api/interactions/labels';
const repliesPath = '/api/interactions/canned-replies';

/** The tenant's labels, and the texts that staff send often. */
export function Texts() {
  const labels = useList(labelsPath);
  const replies = useList(repliesPath);
  return (
    <Page
      title="Labels and replies"
      about="Labels sort your chats. A canned reply is written into a message by typing / and its name."
      answers={[labels, replies]}
    >
      <InboxSections />
      <Table
        label="Labels"
        list={labels}
        keyOf={({ labelId }) => labelId}
        empty={<Empty title="No labels yet.">Create one below.</Empty>}
        columns={[
          { title: 'Label', of: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Actions', of: (label) => <DeleteLabel label={label} /> },
        ]}
      />
      <Add title="New label" what="Label created" path={labelsPath} />
      <Table
        label="Canned replies"
        list={replies}
        keyOf={({ cannedReplyId }) => cannedReplyId}
        empty={<Empty title="No canned replies yet.">Create one below.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Text', of: ({ text }) => <bdi className="line-clamp-2">{text}</bdi> },
          { title: 'Actions', of: (reply) => <DeleteReply reply={reply} /> },
        ]}
      />
      <Add title="New canned reply" what="Canned reply created" path={repliesPath} hasText />
    </Page>
  );
}

const DeleteLabel = ({ label: { labelId, name } }: { label: Schema<'Label'> }) => (
  <ActButton
    look="bad"
    ask={`Delete the label “${name}”? All chats lose it.`}
    action={{ what: 'Label deleted', method: 'delete', path: `${labelsPath}/{labelId}`, names: { labelId } }}
  >
    Delete
  </ActButton>
);

const DeleteReply = ({ reply: { cannedReplyId, name } }: { reply: Schema<'CannedReply'> }) => (
  <ActButton
    look="bad"
    ask={`Delete the canned reply “${name}”?`}
    action={{
      what: 'Canned reply deleted',
      method: 'delete',
      path: `${repliesPath}/{cannedReplyId}`,
      names: { cannedReplyId },
    }}
  >
    Delete
  </ActButton>
);

interface AddProps {
  title: string;
  what: string;
  path: typeof labelsPath | typeof repliesPath;
  hasText?: boolean;
}

function Add({ title, what, path, hasText = false }: AddProps) {
  const form = useRef<HTMLFormElement>(null);
  const create = useAction();
  return (
    <Panel title={title}>
      <Form
        form={form}
        onSend={(body) =>
          create.mutate({ what, method: 'post', path, body, onDone: () => form.current?.reset() })
        }
      >
        <Field label="Name" name="name" isRequired />
        {hasText && <Field label="Text" name="text" isLong isRequired hint="In Markdown, as in messages." />}
        <SubmitRow button="Create" disabled={create.isPending} />
      </Form>
    </Panel>
  );
}
