import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { Why } from '../why.tsx';
import { ChatList, withChat } from './chat-list.tsx';
import { ChatPane } from './chat-pane.tsx';
import { KeysHelp } from './keys-help.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';
import { useHearPresences } from './use-presence.ts';

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
  useInboxKeys(chatId, {
    leave: (search) => void navigate({ to: '/inbox', search }),
    toggle: (id) => {
      if (mayChange) select((now) => withChat(now, id));
    },
    help: () => help(true),
  });
  useHearPresences();
  const besides = trace ? 'min-[90rem]:grid-cols-[20rem_minmax(0,1fr)_24rem]' : '';
  return (
    <div
      className={`grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] md:grid-cols-[20rem_minmax(0,1fr)] ${besides}`}
    >
      <title>Inbox · Botyard</title>
      <h1 className="sr-only">Inbox</h1>
      <ChatList isHidden={chatId !== undefined} selected={selected} onSelect={select} />
      <KeysHelp isOpen={isHelping} onOpen={help} />
      {chatId ? (
        <ChatPane key={chatId} chatId={chatId} />
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
          <Why traceId={trace} />
        </div>
      )}
    </div>
  );
}
