import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, Search as SearchIcon, SlidersHorizontal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSeesTenant } from '../../api/acting.tsx';
import { useList } from '../../api/use-answer.ts';
import { useBots } from '../../api/use-bots.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { readForm, State } from '../../parts/controls.tsx';
import { ForDevelopers } from '../../parts/page.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Moment } from '../../parts/text.tsx';
import type { Search } from '../../search.ts';
import { InboxSections } from './inbox-sections.tsx';
import { Queues } from './queues.tsx';
import { useLabels } from './use-labels.ts';
import { writerOf } from './writer.ts';

const anyChat = {
  events: ['message.received', 'message.edited', 'message.deleted', 'message.sent', 'chat.updated'],
} as const;

/** The chats of all bots, with search and filters above them. */
export function ChatList({ isHidden }: { isHidden: boolean }) {
  const { q, bot, handling, label, queue, state, sort } = useSearch({ strict: false });
  const isFiltered = [q, bot, handling, label, queue, state].some((one) => one !== undefined);
  // A search covers all chats, whatever their state.
  const inQueue = queue ?? (state === undefined && q === undefined ? 'all' : undefined);
  const chats = useList('/api/interactions/chats', {
    query: { q, botId: bot, handling, label, state, queue: inQueue, sort: sort ?? '-lastMessageAt' },
    live: anyChat,
  });
  return (
    <section
      aria-label="Chats"
      className={`flex-col border-line bg-page md:flex md:border-r ${isHidden ? 'hidden' : 'flex'}`}
    >
      <header className="grid gap-3 px-4 pt-4">
        <div className="flex items-center justify-between gap-2">
          <p aria-hidden="true" className="text-xl font-semibold tracking-tight">
            Inbox
          </p>
          <ForDevelopers answers={[chats]} />
        </div>
        <InboxSections />
        <Queues />
        <Filters />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        <Loaded answer={chats}>
          {(all) =>
            all.length > 0 ? (
              all.map((chat) => <ChatLine key={chat.chatId} chat={chat} />)
            ) : isFiltered ? (
              <Empty title="No matching chats.">Try another search or queue, or remove a filter.</Empty>
            ) : (
              <NoChats />
            )
          }
        </Loaded>
        <div className="p-2">
          <ShowMore list={chats} />
        </div>
      </div>
    </section>
  );
}

function Filters() {
  const { q, bot, handling, label, sort } = useSearch({ strict: false });
  const navigate = useNavigate();
  const bots = useBots();
  const seesTenant = useSeesTenant();
  const labels = useLabels();
  const choose = (change: Search) =>
    void navigate({ to: '.', search: (now: Search) => ({ ...now, ...change }) });
  const chosen = [bot, handling, label, sort].filter(Boolean).length;
  return (
    <>
      <SearchField value={q} onSearch={(text) => choose({ q: text })} />
      <details className="group/filters" open={chosen > 0}>
        <summary className="flex cursor-pointer items-center gap-1.5 text-xs text-soft hover:text-ink">
          <SlidersHorizontal aria-hidden="true" className="size-3.5" />
          Filter and sort{chosen > 0 && ` (${chosen})`}
          <ChevronDown
            aria-hidden="true"
            className="size-3.5 transition-transform group-open/filters:rotate-180"
          />
        </summary>
        <div className="mt-2 grid grid-cols-2 gap-1.5">
          <Filter
            label="Handled by"
            value={handling}
            options={[
              ['', 'All'],
              ['bot', 'Bot'],
              ['person', 'Person'],
            ]}
            onChoose={(value) => choose({ handling: value })}
          />
          {seesTenant && (
            <Filter
              label="Bot"
              value={bot}
              options={[['', 'All'], ...bots.options]}
              onChoose={(value) => choose({ bot: value })}
            />
          )}
          <Filter
            label="Label"
            value={label}
            options={[['', 'All'], ...labels.map(({ name }) => [name, name] as const)]}
            onChoose={(value) => choose({ label: value })}
          />
          <Filter
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
      </details>
    </>
  );
}

/** `/` moves the focus here. Its text follows the page's address. */
function SearchField({
  value = '',
  onSearch,
}: {
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = value;
  }, [value]);
  return (
    <form
      className="relative"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(readForm(event.currentTarget).q || undefined);
      }}
    >
      <SearchIcon aria-hidden="true" className="absolute top-2.5 left-2.5 size-4 text-soft" />
      <input
        ref={field}
        name="q"
        type="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        autoComplete="off"
        dir="auto"
        defaultValue={value}
        placeholder="Titles, names and messages"
        className="min-h-9 w-full rounded-md border border-line bg-panel pr-2 pl-8 text-sm placeholder:text-soft"
      />
    </form>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  /** Pairs of value and label. The first stands for no choice. */
  options: readonly (readonly [value: string, shown: string])[];
  onChoose: (value: string | undefined) => void;
}

function Filter({ label, value, options, onChoose }: FilterProps) {
  return (
    <label className="grid min-w-0 text-xs text-soft">
      {label}
      <select
        className={`min-h-8 w-full truncate rounded-md border px-1 text-sm text-ink ${value ? 'border-accent bg-accent-tint' : 'border-line bg-panel'}`}
        value={value ?? ''}
        onChange={({ target }) => onChoose(target.value || undefined)}
      >
        {options.map(([sent, shown]) => (
          <option key={sent} value={sent}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoChats() {
  if (!useSeesTenant()) return <Empty title="No chats yet.">Chats of your bots appear here.</Empty>;
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

/** The name of a chat, as people would say it. */
export const titleOf = ({ title, people }: Pick<Schema<'Chat'>, 'title' | 'people'>): string =>
  title || people.map(({ name }) => name).join(', ') || 'Untitled chat';

function ChatLine({ chat }: { chat: Schema<'Chat'> }) {
  const title = titleOf(chat);
  return (
    <Link
      to="/inbox/$chatId"
      params={{ chatId: chat.chatId }}
      search={(now) => ({ ...now, trace: undefined, json: undefined })}
      className="flex gap-3 rounded-lg p-2.5 hover:bg-hover"
      activeProps={{ className: '!bg-accent-tint', 'aria-current': 'true' }}
    >
      <Avatar name={title} />
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex items-baseline justify-between gap-2">
          <span dir="auto" className={`truncate ${chat.isUnread ? 'font-bold' : 'font-medium'}`}>
            {title}
          </span>
          {chat.isUnread && (
            <span className="ml-auto size-2 shrink-0 self-center rounded-full bg-accent">
              <span className="sr-only">unread</span>
            </span>
          )}
          <span className="text-xs text-soft">
            <Moment at={chat.lastMessageAt} />
          </span>
        </span>
        {chat.lastMessage && (
          <span className="truncate text-sm text-soft">
            <bdi>{writerOf(chat.lastMessage.author)}</bdi>: <bdi>{chat.lastMessage.text || '(no text)'}</bdi>
          </span>
        )}
        <span className="flex min-w-0 flex-wrap items-center gap-1.5 text-xs text-soft">
          <span className="truncate">
            {chat.botName ?? chat.platform} · {chat.kind}
          </span>
          {chat.state !== 'open' && <State word={chat.state} />}
          {chat.isBlocked && <State word="blocked" />}
          {chat.labels.map((label) => (
            <LabelTag key={label} name={label} />
          ))}
          {chat.handling === 'person' && <State word={`with ${chat.assigneeName ?? 'a person'}`} />}
        </span>
      </span>
    </Link>
  );
}

/** A label of a chat. */
export const LabelTag = ({ name }: { name: string }) => (
  <bdi className="max-w-full truncate rounded-full border border-line px-2 py-0.5 text-xs text-soft">
    {name}
  </bdi>
);
