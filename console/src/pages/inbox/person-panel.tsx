import { platformTitles } from 'virtual:platform-titles';
import type { Schema } from '@botyard/client/client';
import { UserRoundSearch } from 'lucide-react';
import { useActing } from '../../api/acting.tsx';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { useMembers } from '../../api/use-members.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { State } from '../../parts/controls.tsx';
import { Loaded } from '../../parts/states.tsx';
import { count, Moment } from '../../parts/text.tsx';
import { Menu } from './chat-tools.tsx';
import { LinkedChats } from './linked-chats.tsx';

type Account = Schema<'PlatformUser'>;

/** The people who wrote in a chat, their linked accounts, and their other chats, as far as the reader may see them. */
export const PersonPanel = ({ chat }: { chat: Schema<'Chat'> }) => (
  <Menu label="About the person" icon={UserRoundSearch} width="md:w-80">
    {(close, isOpen) => isOpen && <Panel chat={chat} onGo={close} />}
  </Menu>
);

interface PanelProps {
  chat: Schema<'Chat'>;
  onGo: () => void;
}

function Panel({ chat: { chatId, people }, onGo }: PanelProps) {
  const { role, isOperator } = useActing();
  // The API tells only admins the accounts of people.
  const seesAccounts = isOperator || role === 'admin';
  return (
    <section aria-label="About the person" className="grid grid-cols-[minmax(0,1fr)] gap-3 py-1">
      {people.map(({ personId, name }) =>
        seesAccounts ? (
          <AccountOfPerson key={personId} personId={personId} onGo={onGo} />
        ) : (
          <Name key={personId} name={name} />
        ),
      )}
      <LinkedChats title="Other chats" query={{ peopleOfChatId: chatId }} onGo={onGo} />
    </section>
  );
}

const Name = ({ name }: { name: string }) => (
  <p className="flex items-center gap-2 px-2">
    <Avatar name={name} size="small" />
    <bdi className="truncate font-semibold">{name}</bdi>
  </p>
);

/** A person's account, and the other ones of the user who has linked it. */
function AccountOfPerson({ personId, onGo }: { personId: string; onGo: () => void }) {
  const account = useAnswer('/api/platform-users/{personId}', { path: { personId } });
  return (
    <Loaded answer={account}>
      {(known) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <Name name={known.name} />
          <p className="flex flex-wrap items-center gap-x-1.5 px-2 text-xs text-soft">
            <AccountName account={known} />
            {known.isMuted && <State word="muted" />}
          </p>
          <p className="px-2 text-xs text-soft">
            First wrote <Moment at={known.firstSeenAt} /> ·{' '}
            {known.chats === 1 ? '1 chat' : `${count(known.chats)} chats`}
          </p>
          {known.userId && <LinkedUser userId={known.userId} besides={personId} onGo={onGo} />}
        </div>
      )}
    </Loaded>
  );
}

/** The account on its platform, with the name that people there see. */
const AccountName = ({ account: { platform, platformUserId, username } }: { account: Account }) => (
  <span className="[overflow-wrap:anywhere]">
    {platformTitles[platform] ?? platform} <bdi>{username ? `@${username}` : platformUserId}</bdi>
  </span>
);

interface LinkedUserProps {
  userId: string;
  /** The account that is shown already. */
  besides: string;
  onGo: () => void;
}

function LinkedUser({ userId, besides, onGo }: LinkedUserProps) {
  const { nameOf } = useMembers();
  const accounts = useList('/api/platform-users', { query: { userId } });
  const others = accounts.data?.filter(({ personId }) => personId !== besides) ?? [];
  return (
    <>
      <p className="px-2 text-xs [overflow-wrap:anywhere] text-soft">
        Linked by <bdi>{nameOf(userId, 'a person who is not a member')}</bdi>
      </p>
      {others.map(({ personId, platform, username, name }) => (
        <LinkedChats
          key={personId}
          title={`Chats as ${platformTitles[platform] ?? platform} ${username ? `@${username}` : name}`}
          query={{ personId }}
          onGo={onGo}
        />
      ))}
    </>
  );
}
