import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { Choose, State } from '../parts/controls.tsx';
import { Formatted } from '../parts/formatted.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Time } from '../parts/text.tsx';
import type { Search } from '../search.ts';
import { Attachment } from './attachment.tsx';
import { Handling } from './handling.tsx';
import { InboxSections } from './inbox-sections.tsx';
import { Why } from './why.tsx';

const anyChat = { events: ['message.received', 'message.edited', 'message.sent', 'chat.updated'] } as const;

export function Inbox() {
  const { chatId } = useParams({ strict: false });
  const { q, bot, handling, sort, trace } = useSearch({ strict: false });
  const chats = useList('/api/interactions/chats', {
    query: { q, botId: bot, handling, sort: sort ?? '-lastMessageAt' },
    live: anyChat,
  });
  return (
    <Page title="Inbox" about="The chats of all your bots." answers={[chats]}>
      <InboxSections />
      <div
        className={`grid items-start gap-4 ${trace ? 'lg:grid-cols-[18rem_1fr_24rem]' : 'lg:grid-cols-[18rem_1fr]'}`}
      >
        <section aria-label="Chats" className="grid gap-3">
          <Narrow />
          <Loaded answer={chats}>
            {(all) =>
              all.length > 0 ? (
                all.map((chat) => <ChatLine key={chat.chatId} chat={chat} />)
              ) : q || bot || handling ? (
                <Empty title="No matching chats.">Try another search, or remove a filter.</Empty>
              ) : (
                <NoChats />
              )
            }
          </Loaded>
          <ShowMore list={chats} />
        </section>
        {chatId ? (
          <Messages key={chatId} chatId={chatId} />
        ) : (
          <p className="text-soft">Select a chat to read it.</p>
        )}
        {trace && <Why traceId={trace} />}
      </div>
    </Page>
  );
}

function Narrow() {
  const { q, bot, handling, sort } = useSearch({ strict: false });
  const navigate = useNavigate();
  const bots = useBots();
  const choose = (change: Search) =>
    void navigate({ to: '.', search: (now: Search) => ({ ...now, ...change }) });
  return (
    <>
      <SearchForm
        hint="Searches titles, names and messages."
        value={q}
        onSearch={(text) => choose({ q: text })}
      />
      <div className="grid grid-cols-2 gap-2">
        <Choose
          label="Handled by"
          value={handling}
          options={[
            ['', 'All'],
            ['bot', 'Bot'],
            ['person', 'Person'],
          ]}
          onChoose={(value) => choose({ handling: value })}
        />
        <Choose
          label="Sort by"
          value={sort}
          options={[
            ['', 'Last message'],
            ['-createdAt', 'Newest chat'],
            ['createdAt', 'Oldest chat'],
          ]}
          onChoose={(value) => choose({ sort: value })}
        />
      </div>
      <Choose
        label="Bot"
        value={bot}
        options={[['', 'All'], ...bots.options]}
        onChoose={(value) => choose({ bot: value })}
      />
    </>
  );
}

function NoChats() {
  return (
    <Empty title="No chats yet.">
      Chats appear here when people write to a bot. Connect a bot to a channel on the{' '}
      <Link to="/bots" className="text-accent underline">
        bots page
      </Link>
      .
    </Empty>
  );
}

const namesOf = ({ people }: Schema<'Chat'>): string => people.map(({ name }) => name).join(', ');

function ChatLine({ chat }: { chat: Schema<'Chat'> }) {
  return (
    <Link
      to="/inbox/$chatId"
      params={{ chatId: chat.chatId }}
      search={(now) => ({ ...now, trace: undefined, json: undefined })}
      className="grid gap-1 rounded-lg border border-line bg-panel p-3 hover:bg-hover"
      activeProps={{ className: 'border-accent', 'aria-current': 'true' }}
    >
      <span dir="auto" className="font-medium break-words">
        {chat.title || namesOf(chat) || 'Untitled chat'}
      </span>
      {chat.lastMessage && (
        <span className="line-clamp-2 text-sm break-words">
          <bdi>{writerOf(chat.lastMessage.author)}</bdi>: <bdi>{chat.lastMessage.text || '(no text)'}</bdi>
        </span>
      )}
      <span className="flex flex-wrap gap-2 text-sm text-soft">
        {chat.botName ?? chat.platform} · {chat.kind} · <Time at={chat.lastMessageAt} />
        {chat.state !== 'active' && <State word={chat.state} />}
        {chat.handling === 'person' && <State word={`with ${chat.assigneeName ?? 'a person'}`} />}
      </span>
    </Link>
  );
}

/** True while a change may come without an event: a message that gets no answer, or a file that is being fetched. */
const isOnItsWay = ({ status, attachment }: Schema<'Message'>): boolean =>
  status === 'queued' || status === 'sending' || attachment?.file?.state === 'waiting';

function Messages({ chatId }: { chatId: string }) {
  const messages = useList('/api/interactions/chats/{chatId}/messages', {
    path: { chatId },
    live: { events: ['message.received', 'message.edited', 'message.sent', 'dead_letter.created'], chatId },
    isUnsettled: isOnItsWay,
  });
  const traces = useList('/api/context-traces', {
    query: { chatId },
    live: { events: ['message.sent'], chatId },
  });
  useTracesFor(messages.data, traces);
  const traceOf = new Map(traces.data?.map(({ replyId, traceId }) => [replyId, traceId]));
  return (
    <section aria-label="Messages" className="grid gap-3">
      <ShowMore list={messages}>Show earlier messages</ShowMore>
      <Loaded answer={messages}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No messages in this chat yet." />
          ) : (
            <ol className="grid gap-3">
              {all.toReversed().map((message) => (
                <MessageLine
                  key={message.messageId}
                  message={message}
                  traceId={traceOf.get(message.messageId)}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
      <Handling chatId={chatId} />
    </section>
  );
}

interface Traces {
  data: { createdAt: string }[] | undefined;
  more: (() => void) | undefined;
}

/** Loads traces, page by page, until they reach as far back as the messages. */
function useTracesFor(messages: Schema<'Message'>[] = [], { data: traces = [], more }: Traces): void {
  const [oldest, reached] = [messages.at(-1)?.createdAt, traces.at(-1)?.createdAt];
  const isShort = oldest !== undefined && reached !== undefined && reached > oldest;
  const have = traces.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page.
  useEffect(() => {
    if (isShort) more?.();
  }, [isShort, have]);
}

function writerOf(author: Schema<'MessageAuthor'>): string {
  if (author.kind === 'staff') return `${author.name ?? 'A colleague'} (staff)`;
  if (author.kind === 'bot') return author.name ? `Bot (${author.name})` : 'Bot';
  return author.name ?? 'Person';
}

function MessageLine({ message, traceId }: { message: Schema<'Message'>; traceId: string | undefined }) {
  const { direction, text, status, failure, attachment, editedAt, createdAt } = message;
  const side = direction === 'in' ? 'mr-8' : 'ml-8 border-accent';
  return (
    <li className={`grid gap-2 rounded-lg border border-line bg-panel p-3 ${side}`}>
      <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
        <bdi className="font-medium text-ink">{writerOf(message.author)}</bdi>
        <Time at={createdAt} />
        {editedAt && <span>edited</span>}
        <State word={status} />
      </p>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {direction === 'in' ? text : <Formatted text={text} />}
      </p>
      {attachment && <Attachment messageId={message.messageId} attachment={attachment} />}
      {failure && <p className="text-sm text-bad">{failure}</p>}
      {traceId && (
        <Link
          to="."
          search={(now) => ({ ...now, trace: traceId })}
          className="justify-self-start text-sm text-accent underline"
        >
          Why this answer?
        </Link>
      )}
    </li>
  );
}
