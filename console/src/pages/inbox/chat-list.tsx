import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, ListChecks, Search as SearchIcon, SlidersHorizontal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useMayChange, useSeesTenant } from '../../api/acting.tsx';
import { useList } from '../../api/use-answer.ts';
import { useBots } from '../../api/use-bots.ts';
import { IconButton, readForm } from '../../parts/controls.tsx';
import { ForDevelopers } from '../../parts/page.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import type { Search } from '../../search.ts';
import { BulkBar } from './bulk-bar.tsx';
import { ChatLine } from './chat-line.tsx';
import { InboxSections } from './inbox-sections.tsx';
import { Queues } from './queues.tsx';
import { useLabels } from './use-labels.ts';

const anyChat = {
  events: ['message.received', 'message.edited', 'message.deleted', 'message.sent', 'chat.updated'],
} as const;

interface ChatListProps {
  isHidden: boolean;
  /** The selected chats; undefined while no chats are being selected. */
  selected: ReadonlySet<string> | undefined;
  onSelect: (chatIds: ReadonlySet<string> | undefined) => void;
}

/** The chats of all bots, with search and filters above them. */
export function ChatList({ isHidden, selected, onSelect }: ChatListProps) {
  const { q, bot, handling, label, queue, state, sort } = useSearch({ strict: false });
  const mayChange = useMayChange();
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
          <span className="flex">
            {mayChange && (
              <IconButton
                icon={ListChecks}
                label="Select chats"
                aria-pressed={selected !== undefined}
                onClick={() => onSelect(selected ? undefined : new Set())}
              />
            )}
            <ForDevelopers answers={[chats]} />
          </span>
        </div>
        <InboxSections />
        <Queues />
        <Filters />
      </header>
      {selected && (
        <BulkBar
          chats={chats.data ?? []}
          selected={selected}
          onSelect={onSelect}
          onEnd={() => onSelect(undefined)}
        />
      )}
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        <Loaded answer={chats}>
          {(all) =>
            all.length > 0 ? (
              all.map((chat) => (
                <ChatLine
                  key={chat.chatId}
                  chat={chat}
                  isSelected={selected?.has(chat.chatId)}
                  onSelect={(isSelected) => onSelect(withChat(selected, chat.chatId, isSelected))}
                />
              ))
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

/** The selection with a chat, or without it. */
export function withChat(
  selected: ReadonlySet<string> | undefined,
  chatId: string,
  isSelected = !selected?.has(chatId),
): ReadonlySet<string> {
  const others = [...(selected ?? [])].filter((one) => one !== chatId);
  return new Set(isSelected ? [...others, chatId] : others);
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
