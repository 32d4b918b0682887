import { useSearch } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useMayChange, useSeesTenant } from '../../api/acting.tsx';
import { useList } from '../../api/use-answer.ts';
import { IconButton } from '../../parts/controls.tsx';
import { outcomeOf } from '../../parts/outcome-words.ts';
import { ForDevelopers } from '../../parts/page.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { allChats, chatsPath } from './all-chats.ts';
import { ChatFilters } from './chat-filters.tsx';
import { ChatLine } from './chat-line.tsx';
import { InboxSections } from './inbox-sections.tsx';
import { Queues } from './queues.tsx';

const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }));

const anyChat = {
  events: ['message.received', 'message.edited', 'message.deleted', 'message.sent', 'chat.updated'],
} as const;

interface ChatListProps {
  isHidden: boolean;
  /** The selected chats; undefined while no chats are being selected. */
  selected: ReadonlySet<string> | undefined;
  onSelect: (chatIds: ReadonlySet<string> | undefined) => void;
  /** Selects a chat, or ends that. It stays the same function, so that only changed lines are rendered. */
  onToggle: (chatId: string, isSelected: boolean) => void;
}

/** The chats of all bots, with search and filters above them. */
export function ChatList({ isHidden, selected, onSelect, onToggle }: ChatListProps) {
  const { q, bot, agent, version, handling, label, outcome, queue, state, from, to, sort } = useSearch({
    strict: false,
  });
  const mayChange = useMayChange();
  const isFiltered = [q, bot, agent, version, handling, label, outcome, queue, state, from, to].some(
    (one) => one !== undefined,
  );
  const agentVersion = agent === undefined ? undefined : version;
  // A search covers all chats, whatever their state, and so does a version.
  const coversAll = [state, q, agentVersion].some((one) => one !== undefined);
  const inQueue = queue ?? (coversAll ? undefined : allChats.queue);
  const chats = useList(chatsPath, {
    query: {
      q,
      botId: bot,
      agentId: agent,
      agentVersion,
      handling,
      label,
      outcome: outcomeOf(outcome),
      state,
      queue: inQueue,
      from,
      to,
      sort: sort ?? allChats.sort,
      limit: allChats.limit,
    },
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
        <ChatFilters />
      </header>
      {selected && (
        <Suspense fallback={null}>
          <BulkBar
            chats={chats.data ?? []}
            selected={selected}
            onSelect={onSelect}
            onEnd={() => onSelect(undefined)}
          />
        </Suspense>
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
                  onSelect={onToggle}
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

function NoChats() {
  if (!useSeesTenant()) return <Empty title="No chats yet.">Chats of your bots appear here.</Empty>;
  return (
    <Empty title="No chats yet.">
      Chats appear here when people write to a bot. Connect a bot to a channel on the{' '}
      <TextLink to="/bots">bots page</TextLink>.
    </Empty>
  );
}
