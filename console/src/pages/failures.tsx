import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

export function Failures() {
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const dead = useList('/api/interactions/dead-letters', { query: { q }, everyMs: 4000 });
  const replies = useList('/api/interactions/undelivered', { everyMs: 4000 });
  return (
    <Page
      title="Failures"
      about="What could not be answered, and what did not arrive."
      answers={[dead, replies]}
    >
      <h2 className="text-lg font-semibold">Messages that could not be answered</h2>
      <Form
        onSend={(fields) =>
          void navigate({ to: '.', search: (now) => ({ ...now, q: fields.q || undefined }) })
        }
      >
        <Field label="Search" name="q" defaultValue={q ?? ''} hint="The text of the message" />
      </Form>
      <Table
        label="Dead letters"
        list={dead}
        keyOf={({ messageId }) => messageId}
        empty={<Empty title="None.">A message comes here after its last try, and can be tried again.</Empty>}
        columns={[
          { title: 'Message', of: ({ text, chatId }) => <ChatLink chatId={chatId} text={text} /> },
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Tries', of: ({ tries }) => tries ?? '', isNumber: true },
          { title: 'Since', of: ({ deadAt, createdAt }) => <Time at={deadAt ?? createdAt} /> },
          { title: 'Actions', of: ({ messageId }) => <Actions messageId={messageId} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Replies that did not arrive, or may not have</h2>
      <Table
        label="Replies"
        list={replies}
        keyOf={({ messageId }) => messageId}
        empty={<Empty title="None.">A reply comes here after its last try, and can be sent again.</Empty>}
        columns={[
          { title: 'Reply', of: ({ text, chatId }) => <ChatLink chatId={chatId} text={text} /> },
          { title: 'State', of: ({ status }) => <State word={status} /> },
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Since', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Actions', of: (reply) => <ReplyActions reply={reply} /> },
        ]}
      />
    </Page>
  );
}

function ChatLink({ chatId, text }: { chatId: string; text: string }) {
  return (
    <Link to="/inbox/$chatId" params={{ chatId }} className="text-accent underline">
      {text.slice(0, 200) || 'without text'}
    </Link>
  );
}

function Actions({ messageId }: { messageId: string }) {
  const path = '/api/interactions/dead-letters/{messageId}';
  const names = { messageId };
  return (
    <div className="flex gap-2">
      <ActButton
        look="main"
        action={{ what: 'Replay the message', method: 'post', path: `${path}/replay`, names }}
      >
        Replay
      </ActButton>
      <ActButton
        look="bad"
        ask="Drop this message? It will never be answered."
        action={{ what: 'Drop the message', method: 'delete', path, names }}
      >
        Drop
      </ActButton>
    </div>
  );
}

function ReplyActions({ reply: { messageId, status } }: { reply: Schema<'UndeliveredReply'> }) {
  const path = '/api/interactions/undelivered/{messageId}';
  const names = { messageId };
  return (
    <div className="flex gap-2">
      <ActButton
        look="main"
        {...(status === 'uncertain' && {
          ask: 'Send it again? It may have arrived, and would be there twice.',
        })}
        action={{ what: 'Send the reply again', method: 'post', path: `${path}/resend`, names }}
      >
        Send again
      </ActButton>
      <ActButton
        look="bad"
        ask="Drop this reply? It leaves this list, and is not sent again."
        action={{ what: 'Drop the reply', method: 'delete', path, names }}
      >
        Drop
      </ActButton>
    </div>
  );
}
