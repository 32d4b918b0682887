import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { deleteAction, postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';

export function Failures() {
  const { q } = useSearch({ strict: false });
  const dead = useList('/api/interactions/dead-letters', { query: { q }, everyMs: 4000 });
  const replies = useList('/api/interactions/undelivered', { everyMs: 4000 });
  return (
    <Page
      title="Failures"
      about="Messages that could not be answered, and replies that were not delivered."
      answers={[dead, replies]}
    >
      <h2 className="text-lg font-semibold">Unanswered messages</h2>
      <SearchForm hint="Searches the text of messages." />
      <Table
        label="Dead letters"
        list={dead}
        keyOf={({ messageId }) => messageId}
        empty={
          q ? (
            <Empty title="No matching messages.">Try another search.</Empty>
          ) : (
            <Empty title="No unanswered messages.">
              Messages appear here after their last attempt. You can then replay or discard them.
            </Empty>
          )
        }
        columns={[
          { title: 'Message', of: ({ text, chatId }) => <ChatLink chatId={chatId} text={text} /> },
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Attempts', of: ({ tries }) => tries ?? '', isNumber: true },
          { title: 'Date', of: ({ deadAt, createdAt }) => <Time at={deadAt ?? createdAt} /> },
          { title: 'Actions', of: ({ messageId }) => <Actions messageId={messageId} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Undelivered and uncertain replies</h2>
      <Table
        label="Replies"
        list={replies}
        keyOf={({ messageId }) => messageId}
        empty={
          <Empty title="No undelivered replies.">
            Replies appear here after their last attempt. You can then resend or discard them.
          </Empty>
        }
        columns={[
          { title: 'Reply', of: ({ text, chatId }) => <ChatLink chatId={chatId} text={text} /> },
          { title: 'State', of: ({ status }) => <State word={status} /> },
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Date', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Actions', of: (reply) => <ReplyActions reply={reply} /> },
        ]}
      />
    </Page>
  );
}

function ChatLink({ chatId, text }: { chatId: string; text: string }) {
  return (
    <TextLink to="/inbox/$chatId" params={{ chatId }}>
      {text.slice(0, 200) || '(no text)'}
    </TextLink>
  );
}

function Actions({ messageId }: { messageId: string }) {
  const path = '/api/interactions/dead-letters/{messageId}';
  const names = { messageId };
  return (
    <div className="flex gap-2">
      <ActButton look="main" action={postAction('Message replayed', `${path}/replay`, { names })}>
        Replay
      </ActButton>
      <ActButton
        look="bad"
        ask="Discard this message? It will never be answered."
        action={deleteAction('Message discarded', path, names)}
      >
        Discard
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
          ask: 'Resend this reply? It may have been delivered already, and would then arrive twice.',
        })}
        action={postAction('Reply resent', `${path}/resend`, { names })}
      >
        Resend
      </ActButton>
      <ActButton
        look="bad"
        ask="Discard this reply? It is removed from this list and is not sent again."
        action={deleteAction('Reply discarded', path, names)}
      >
        Discard
      </ActButton>
    </div>
  );
}
