import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { deleteAction, postAction, putAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button, Field } from '../../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated, SectionHeading } from '../../parts/create-dialog.tsx';
import { CreateForm } from '../../parts/create-form.tsx';
import { Page } from '../../parts/page.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { InboxSections } from './inbox-sections.tsx';

const labelsPath = '/api/interactions/labels';
const repliesPath = '/api/interactions/canned-replies';

const newLabel = { name: 'label', title: 'New label' };
const newReply = { name: 'reply', title: 'New canned reply' };

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
      <SectionHeading title="Labels" creation={newLabel} />
      <Table
        label="Labels"
        list={labels}
        keyOf={({ labelId }) => labelId}
        empty={<Empty title="No labels yet." action={<CreateButton creation={newLabel} />} />}
        columns={[
          { title: 'Label', of: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Actions', of: (label) => <DeleteLabel label={label} /> },
        ]}
      />
      <SectionHeading title="Canned replies" creation={newReply} />
      <Table
        label="Canned replies"
        list={replies}
        keyOf={({ cannedReplyId }) => cannedReplyId}
        empty={<Empty title="No canned replies yet." action={<CreateButton creation={newReply} />} />}
        columns={[
          { title: 'Name', of: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Text', of: ({ text }) => <bdi className="line-clamp-2">{text}</bdi> },
          {
            title: 'Actions',
            of: (reply) => (
              <div className="flex flex-wrap gap-2">
                <EditReply reply={reply} />
                <DeleteReply reply={reply} />
              </div>
            ),
          },
        ]}
      />
      <CreateDialog creation={newLabel}>{(onCreated) => <NewLabel onCreated={onCreated} />}</CreateDialog>
      <CreateDialog creation={newReply}>{(onCreated) => <NewReply onCreated={onCreated} />}</CreateDialog>
    </Page>
  );
}

const DeleteLabel = ({ label: { labelId, name } }: { label: Schema<'Label'> }) => (
  <ActButton
    look="bad"
    ask={`Delete the label “${name}”? All chats lose it.`}
    action={deleteAction('Label deleted', `${labelsPath}/{labelId}`, { labelId })}
  >
    Delete
  </ActButton>
);

const DeleteReply = ({ reply: { cannedReplyId, name } }: { reply: Schema<'CannedReply'> }) => (
  <ActButton
    look="bad"
    ask={`Delete the canned reply “${name}”?`}
    action={deleteAction('Canned reply deleted', `${repliesPath}/{cannedReplyId}`, { cannedReplyId })}
  >
    Delete
  </ActButton>
);

function NewLabel({ onCreated }: { onCreated: OnCreated }) {
  return (
    <CreateForm
      button="Create label"
      action={(body) => postAction('Label created', labelsPath, { body })}
      onDone={({ labelId }: Schema<'Label'>) => onCreated(labelId)}
    >
      <Field label="Name" name="name" isRequired />
    </CreateForm>
  );
}

function NewReply({ onCreated }: { onCreated: OnCreated }) {
  return (
    <CreateForm
      button="Create reply"
      action={(body) => postAction('Canned reply created', repliesPath, { body })}
      onDone={({ cannedReplyId }: Schema<'CannedReply'>) => onCreated(cannedReplyId)}
    >
      <ReplyFields />
    </CreateForm>
  );
}

const ReplyFields = ({ reply }: { reply?: Schema<'CannedReply'> }) => (
  <>
    <Field
      label="Name"
      name="name"
      isRequired
      defaultValue={reply?.name ?? ''}
      hint="Staff type / and this name."
    />
    <Field
      label="Text"
      name="text"
      isLong
      isRequired
      defaultValue={reply?.text ?? ''}
      hint="In Markdown, as in messages."
    />
  </>
);

function EditReply({ reply }: { reply: Schema<'CannedReply'> }) {
  const [isOpen, open] = useState(false);
  const names = { cannedReplyId: reply.cannedReplyId };
  if (!useMayChange()) return null;
  return (
    <>
      <Button onClick={() => open(true)}>Edit …</Button>
      <Popup title="Edit the canned reply" isOpen={isOpen} onOpen={open}>
        <CreateForm
          button="Save"
          action={(body) =>
            putAction('Canned reply changed', `${repliesPath}/{cannedReplyId}`, { names, body })
          }
          onDone={() => open(false)}
        >
          <ReplyFields reply={reply} />
        </CreateForm>
      </Popup>
    </>
  );
}
