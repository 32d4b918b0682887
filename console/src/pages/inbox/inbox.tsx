import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { loadMarkdown } from '../../parts/formatted-text.tsx';
import { DocumentTitle } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { useAfterFirstView } from '../../shell/use-after-first-view.ts';
import { ChatList } from './chat-list.tsx';
import { KeysHelp } from './keys-help.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';
import { useHearPresences } from './use-presence.ts';

const loadPane = () => import('./chat-pane.tsx');
const loadWhy = () => import('../why.tsx');
const ChatPane = lazy(async () => ({ default: (await loadPane()).ChatPane }));
const Why = lazy(async () => ({ default: (await loadWhy()).Why }));
/** The parts of the inbox that its list doesn't need. */
const laterParts = [loadPane, loadMarkdown, loadWhy];

/**
 * Three panes that scroll by themselves: the chats, the open one, and the reasons for an answer. A phone shows one of
 * them at a time.
 */
export function Inbox() {
  const { chatId } = useParams({ strict: false });
  const { trace } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const [selected, select] = useState<ReadonlySet<string>>();
  const [isHelping, help] = useState(false);
  const toggle = useCallback(
    (id: string, isSelected?: boolean) => select((now) => withChat(now, id, isSelected)),
    [],
  );
  useAfterFirstView(laterParts);
  useInboxKeys(chatId, {
    leave: (search) => void navigate({ to: '/inbox', search }),
    toggle: (id) => {
      if (mayChange) toggle(id);
    },
    help: () => help(true),
  });
  useHearPresences();
  const besides = trace ? 'min-[90rem]:grid-cols-[20rem_minmax(0,1fr)_24rem]' : '';
  return (
    <div
      className={`grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] md:grid-cols-[20rem_minmax(0,1fr)] ${besides}`}
    >
      <DocumentTitle title="Inbox" />
      <h1 className="sr-only">Inbox</h1>
      <ChatList isHidden={chatId !== undefined} selected={selected} onSelect={select} onToggle={toggle} />
      <KeysHelp isOpen={isHelping} onOpen={help} />
      {chatId ? (
        <Suspense fallback={<Skeleton />}>
          <ChatPane key={chatId} chatId={chatId} />
        </Suspense>
      ) : (
        <div className="hidden place-items-center content-center gap-3 text-soft md:grid">
          <MessagesSquare aria-hidden="true" className="size-10" />
          <p>Select a chat to read it.</p>
          <p className="text-sm">
            <kbd>?</kbd> shows the keys.
          </p>
        </div>
      )}
      {trace && (
        <div className="overflow-y-auto border-l border-line bg-panel max-[90rem]:fixed max-[90rem]:inset-y-0 max-[90rem]:right-0 max-[90rem]:z-30 max-[90rem]:w-full max-[90rem]:max-w-md max-[90rem]:animate-rise max-[90rem]:shadow-raised">
          <Suspense fallback={<Skeleton />}>
            <Why traceId={trace} />
          </Suspense>
        </div>
      )}
    </div>
  );
}

/** The selection with a chat, or without it. */
function withChat(
  selected: ReadonlySet<string> | undefined,
  chatId: string,
  isSelected = !selected?.has(chatId),
): ReadonlySet<string> {
  const others = [...(selected ?? [])].filter((one) => one !== chatId);
  return new Set(isSelected ? [...others, chatId] : others);
}
