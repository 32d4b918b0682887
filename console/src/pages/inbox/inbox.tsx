import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { Why } from '../why.tsx';
import { ChatList } from './chat-list.tsx';
import { ChatPane } from './chat-pane.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';

/**
 * Three panes that scroll by themselves: the chats, the open one, and the reasons for an answer. A phone shows one of
 * them at a time.
 */
export function Inbox() {
  const { chatId } = useParams({ strict: false });
  const { trace } = useSearch({ strict: false });
  const navigate = useNavigate();
  useInboxKeys(chatId, (search) => void navigate({ to: '/inbox', search }));
  const besides = trace ? 'min-[90rem]:grid-cols-[20rem_minmax(0,1fr)_24rem]' : '';
  return (
    <div
      className={`grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] md:grid-cols-[20rem_minmax(0,1fr)] ${besides}`}
    >
      <title>Inbox · Botyard</title>
      <h1 className="sr-only">Inbox</h1>
      <ChatList isHidden={chatId !== undefined} />
      {chatId ? (
        <ChatPane key={chatId} chatId={chatId} />
      ) : (
        <div className="hidden place-items-center content-center gap-3 text-soft md:grid">
          <MessagesSquare aria-hidden="true" className="size-10" />
          <p>Select a chat to read it.</p>
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
