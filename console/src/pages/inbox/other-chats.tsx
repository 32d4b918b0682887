import { Link } from '@tanstack/react-router';
import { UserRoundSearch } from 'lucide-react';
import { useList } from '../../api/use-answer.ts';
import { State } from '../../parts/controls.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Moment } from '../../parts/text.tsx';
import { placeOf, titleOf } from './chat-line.tsx';
import { Menu } from './chat-tools.tsx';

/** The other chats of the people who wrote in this one, as far as the reader may see them. */
export const OtherChats = ({ chatId }: { chatId: string }) => (
  <Menu label="Other chats of this person" icon={<UserRoundSearch aria-hidden="true" className="size-4" />}>
    {(close, isOpen) => isOpen && <List chatId={chatId} onGo={close} />}
  </Menu>
);

const shownAtOnce = 10;

function List({ chatId, onGo }: { chatId: string; onGo: () => void }) {
  const chats = useList('/api/interactions/chats', {
    query: { peopleOfChatId: chatId, sort: '-lastMessageAt', limit: shownAtOnce },
    live: { events: ['chat.updated', 'message.received'] },
  });
  return (
    <section aria-label="Other chats of this person" className="grid gap-0.5">
      <Loaded answer={chats}>
        {(all) =>
          all.length === 0 ? (
            <p className="px-3 py-1.5 text-sm text-soft">No other chats with this person.</p>
          ) : (
            all.map((chat) => (
              <Link
                key={chat.chatId}
                to="/inbox/$chatId"
                params={{ chatId: chat.chatId }}
                search={(now) => ({ ...now, trace: undefined, message: undefined })}
                onClick={onGo}
                className="grid grid-cols-[minmax(0,1fr)] rounded-md px-3 py-1.5 text-sm hover:bg-hover"
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
