import type { Schema } from '@botyard/client/client';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, Bot, Ellipsis, Hand } from 'lucide-react';
import { useId, useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { type Action, useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMembers } from '../../api/use-members.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Button, IconButton, State } from '../../parts/controls.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { type Assignee, assign, chatPath, giveBack, takeOver } from './actions.ts';
import { ChatApprovals } from './chat-approvals.tsx';
import { LabelTag, LastOutcomes, placeOf, titleOf } from './chat-line.tsx';
import { ChatTools, Done } from './chat-tools.tsx';
import { Colleagues } from './colleagues.tsx';
import { Messages } from './messages.tsx';
import { NoteForm } from './notes.tsx';
import { PersonPanel } from './person-panel.tsx';
import { Reply } from './templates.tsx';
import { useKeptFocus } from './use-kept-focus.ts';
import { useShowPresence } from './use-presence.ts';
import { useReading } from './use-reading.ts';

/** The open chat: who it is with and who handles it, its messages, and the field for a reply. */
export function ChatPane({ chatId }: { chatId: string }) {
  const chat = useAnswer(chatPath, {
    path: { chatId },
    // Each message from a person postpones the time at which the bot takes the chat back.
    live: { events: ['chat.updated', 'message.sent', 'message.received'], chatId },
  });
  const act = useAction();
  const mayChange = useMayChange();
  useReading(chat.data);
  const pane = useKeptFocus(chatId);
  const showTyping = useShowPresence(chatId);
  const [isBegun, begin] = useState(false);
  const [isUnfolded, unfold] = useState(false);
  const change = (action: Action, isTakenOver = false) => {
    begin(isTakenOver);
    act.mutate(action);
  };
  return (
    <section
      ref={pane}
      aria-label="Messages"
      tabIndex={-1}
      className="flex min-h-0 min-w-0 flex-col bg-panel outline-none"
    >
      <header className="relative flex flex-wrap items-center gap-x-1 gap-y-2 border-b border-line px-2 py-2 md:gap-2 md:px-6 md:py-3">
        <Link
          to="/inbox"
          search={(now) => ({ ...now, trace: undefined })}
          className="grid size-9 shrink-0 place-items-center rounded-md hover:bg-hover md:hidden"
        >
          <ArrowLeft aria-hidden="true" className="size-5" />
          <span className="sr-only">Back to the chats</span>
        </Link>
        {chat.data ? <Who chat={chat.data} /> : <span className="h-9 flex-1" />}
        {chat.data && (
          <IconButton
            icon={Ellipsis}
            label="More of this chat"
            aria-expanded={isUnfolded}
            className="order-1 min-w-9 justify-center !px-0 md:hidden"
            onClick={() => unfold(!isUnfolded)}
          />
        )}
        {chat.data && (
          <div
            className={`order-2 w-full flex-wrap items-center gap-1 md:order-none md:flex md:w-auto ${isUnfolded ? 'flex' : 'hidden'}`}
          >
            <Marks chat={chat.data} className="w-full md:hidden" />
            <PersonPanel chat={chat.data} />
            {mayChange && <ChatTools chat={chat.data} isBusy={act.isPending} onAct={change} />}
            {chat.data.handling === 'person' && (
              <Assign
                assigneeUserId={chat.data.assigneeUserId}
                isBusy={act.isPending}
                onAssign={(person) => change(assign(chatId, person))}
              />
            )}
          </div>
        )}
        {chat.data && mayChange && <Done chat={chat.data} isBusy={act.isPending} onAct={change} />}
        {chat.data?.handling === 'person' && (
          <Button icon={Bot} disabled={act.isPending} onClick={() => change(giveBack(chatId))}>
            <span className="max-md:sr-only">Hand back</span>
          </Button>
        )}
      </header>
      <Messages chatId={chatId} />
      <footer className="border-t border-line px-4 py-3 md:px-6">
        <div className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-2">
          <Colleagues chatId={chatId} />
          {chat.data && <ChatApprovals chatId={chatId} botId={chat.data.botId} />}
          <Loaded answer={chat}>
            {(one) =>
              one.handling === 'bot' ? (
                <ByBot
                  chatId={chatId}
                  isBusy={act.isPending}
                  onTakeOver={() => change(takeOver(chatId), true)}
                />
              ) : (
                <>
                  <Handover chat={one} />
                  <Reply chatId={chatId} isBegun={isBegun} onTyping={showTyping} />
                  <NoteForm chatId={chatId} />
                </>
              )
            }
          </Loaded>
        </div>
      </footer>
    </section>
  );
}

function Who({ chat }: { chat: Schema<'Chat'> }) {
  const title = titleOf(chat);
  return (
    <>
      <span className="max-md:hidden">
        <Avatar name={title} />
      </span>
      <div className="min-w-0 flex-1 md:min-w-28">
        <h2 dir="auto" className="truncate font-semibold max-md:text-sm">
          {title}
        </h2>
        <p className="flex items-center gap-x-1.5 text-xs text-soft md:flex-wrap">
          <span className="truncate">{placeOf(chat)}</span>
          <Marks chat={chat} className="max-md:hidden md:contents" />
        </p>
      </div>
    </>
  );
}

/** The state of a chat, its labels, and how its last session went. */
function Marks({ chat, className }: { chat: Schema<'Chat'>; className: string }) {
  return (
    <span className={`flex flex-wrap items-center gap-1.5 text-xs text-soft empty:hidden ${className}`}>
      {chat.state !== 'open' && <State word={chat.state} />}
      {chat.snoozedUntil && (
        <span>
          until <Time at={chat.snoozedUntil} />
        </span>
      )}
      {chat.labels.map((label) => (
        <LabelTag key={label} name={label} />
      ))}
      {chat.isBlocked && <State word="blocked" />}
      <LastOutcomes outcomes={chat.outcomes} />
    </span>
  );
}

interface ByBotProps {
  chatId: string;
  isBusy: boolean;
  onTakeOver: () => void;
}

function ByBot({ chatId, isBusy, onTakeOver }: ByBotProps) {
  const mayChange = useMayChange();
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-sm text-soft">The bot answers in this chat.</p>
      {mayChange && (
        <Button look="main" icon={Hand} disabled={isBusy} onClick={onTakeOver} data-reply>
          Take over
        </Button>
      )}
      {mayChange && <NoteForm chatId={chatId} />}
    </div>
  );
}

/** Why a person handles the chat, and until when. */
function Handover({ chat: { handbackAt, handoverReason } }: { chat: Schema<'Chat'> }) {
  return (
    <>
      {handoverReason && (
        <p className="rounded-md bg-warn-tint px-3 py-1.5 text-sm [overflow-wrap:anywhere] text-warn">
          An agent asked for a person: {handoverReason}
        </p>
      )}
      {handbackAt && (
        <p className="text-xs text-soft">
          The bot takes this chat back at <Time at={handbackAt} /> unless someone writes before then.
        </p>
      )}
    </>
  );
}

interface AssignProps {
  assigneeUserId: string | null;
  isBusy: boolean;
  onAssign: (person: Assignee) => void;
}

function Assign({ assigneeUserId, isBusy, onAssign }: AssignProps) {
  const id = useId();
  const { people, isLoaded } = useMembers();
  const isKnown = people.some(({ userId }) => userId === assigneeUserId);
  const choose = (chosen: string) =>
    onAssign(people.find(({ userId }) => userId === chosen) ?? { userId: null, name: undefined });
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Assigned to
      </label>
      <select
        id={id}
        className="min-h-9 max-w-32 rounded-md border border-line bg-panel px-2 text-sm"
        value={assigneeUserId ?? ''}
        disabled={isBusy}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">Unassigned</option>
        {assigneeUserId !== null && !isKnown && (
          <option value={assigneeUserId}>{isLoaded ? 'Former member' : '…'}</option>
        )}
        {people.map(({ userId, name }) => (
          <option key={userId} value={userId}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
