import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useList } from '../../api/use-answer.ts';
import { State } from '../../parts/controls.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Moment } from '../../parts/text.tsx';
import { placeOf, titleOf } from './chat-line.tsx';

const shownAtOnce = 10;

interface LinkedChatsProps {
  title: string;
  /** The people whose chats are listed. */
  query: { peopleOfChatId: string } | { personId: string };
  onGo: () => void;
}

/** Links to the chats of some people, the last written in first. */
export function LinkedChats({ title, query, onGo }: LinkedChatsProps) {
  const id = useId();
  const chats = useList('/api/interactions/chats', {
    query: { ...query, sort: '-lastMessageAt', limit: shownAtOnce },
    live: { events: ['chat.updated', 'message.received'] },
  });
  return (
    <section aria-labelledby={id} className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
      <h3 id={id} dir="auto" className="truncate px-2 text-xs font-semibold text-soft">
        {title}
      </h3>
      <Loaded answer={chats}>
        {(all) =>
          all.length === 0 ? (
            <p className="px-2 text-sm text-soft">None that you can see.</p>
          ) : (
            all.map((chat) => (
              <Link
                key={chat.chatId}
                to="/inbox/$chatId"
                params={{ chatId: chat.chatId }}
                search={(now) => ({ ...now, trace: undefined, message: undefined })}
                onClick={onGo}
                className="grid grid-cols-[minmax(0,1fr)] rounded-md px-2 py-1.5 text-sm hover:bg-hover"
              >
                <span className="flex items-baseline justify-between gap-2">
                  <bdi className="truncate font-medium">{titleOf(chat)}</bdi>
                  <span className="text-xs text-soft">
                    <Moment at={chat.lastMessageAt} />
                  </span>
                </span>
                <span className="flex items-center gap-1.5 text-xs text-soft">
                  <span className="truncate">{placeOf(chat)}</span>
                  {chat.state !== 'open' && <State word={chat.state} />}
                </span>
              </Link>
            ))
          )
        }
      </Loaded>
      <ShowMore list={chats} />
    </section>
  );
}
