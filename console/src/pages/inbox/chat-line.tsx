import { platformTitles } from 'virtual:platform-titles';
import type { Schema } from '@botyard/client/client';
import { outcomeWords } from '@botyard/contracts/outcome-words';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Avatar } from '../../parts/avatar.tsx';
import { State } from '../../parts/controls.tsx';
import { plainOf } from '../../parts/plain-text.ts';
import { Moment } from '../../parts/text.tsx';
import { ColleaguesOfLine } from './colleagues.tsx';
import { writerOf } from './writer.ts';

/** The name of a chat, as people would say it. */
export const titleOf = ({ title, people }: Pick<Schema<'Chat'>, 'title' | 'people'>): string =>
  title || people.map(({ name }) => name).join(', ') || 'Untitled chat';

/** The bot and the channel of a chat, with its kind unless it is with one person. */
export function placeOf({
  botName,
  platform,
  kind,
}: Pick<Schema<'Chat'>, 'botName' | 'platform' | 'kind'>): string {
  const channel = platformTitles[platform] ?? platform;
  return [botName, kind === 'private' ? channel : `${channel} ${kind}`].filter(Boolean).join(' · ');
}

interface ChatLineProps {
  chat: Schema<'Chat'>;
  /** Undefined while no chats are being selected. */
  isSelected: boolean | undefined;
  onSelect: (chatId: string, isSelected: boolean) => void;
}

/** One chat of the list. It is rendered again only when it has changed. */
export const ChatLine = memo(function ChatLine({ chat, isSelected, onSelect }: ChatLineProps) {
  return (
    // The link stays the same element when the selection begins, and so keeps the focus.
    <div className="flex items-center">
      {isSelected !== undefined && (
        <label key="box" className="grid size-9 shrink-0 place-items-center">
          <input
            type="checkbox"
            checked={isSelected}
            onChange={({ target }) => onSelect(chat.chatId, target.checked)}
            aria-label={`Select ${titleOf(chat)}`}
          />
        </label>
      )}
      <ChatLink key="link" chat={chat} />
    </div>
  );
});

function ChatLink({ chat }: { chat: Schema<'Chat'> }) {
  const title = titleOf(chat);
  return (
    <Link
      to="/inbox/$chatId"
      params={{ chatId: chat.chatId }}
      search={(now) => ({ ...now, trace: undefined, json: undefined, message: chat.hit?.messageId })}
      className="flex min-w-0 flex-1 gap-3 rounded-lg p-2.5 hover:bg-hover"
      activeProps={{ className: '!bg-accent-tint', 'aria-current': 'true' }}
    >
      <Avatar name={title} />
      <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
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
        {chat.hit ? (
          <Hit hit={chat.hit} />
        ) : (
          chat.lastMessage && (
            <span className="truncate text-sm text-soft">
              <bdi>{writerOf(chat.lastMessage.author)}</bdi>: <bdi>{beginningOf(chat.lastMessage)}</bdi>
            </span>
          )
        )}
        <span className="flex min-w-0 flex-wrap items-center gap-1.5 text-xs text-soft">
          <span className="truncate">{placeOf(chat)}</span>
          {chat.state !== 'open' && <State word={chat.state} />}
          {chat.isBlocked && <State word="blocked" />}
          {chat.labels.map((label) => (
            <LabelTag key={label} name={label} />
          ))}
          <LastOutcomes outcomes={chat.outcomes} />
          {chat.handling === 'person' && <State word={`with ${chat.assigneeName ?? 'a person'}`} />}
          <ColleaguesOfLine chatId={chat.chatId} />
        </span>
      </span>
    </Link>
  );
}

/** The outcomes of a chat's last session, in words. */
export const LastOutcomes = ({ outcomes = [] }: { outcomes: Schema<'Chat'>['outcomes'] | undefined }) =>
  outcomes.length > 0 && (
    <span title="How the last session went" className="truncate">
      {outcomes.map((outcome) => outcomeWords[outcome].label).join(', ')}
    </span>
  );

/** The sentence that has the text of the search. Its beginning is cut so far that the text is in view. */
function Hit({ hit: { before, match, after } }: { hit: NonNullable<Schema<'Chat'>['hit']> }) {
  const beginning = before.length > maxBefore ? `…${before.slice(-maxBefore)}` : before;
  return (
    <bdi className="line-clamp-2 text-sm [overflow-wrap:anywhere] text-soft">
      {beginning}
      <mark className="rounded bg-warn-tint px-0.5 text-ink">{match}</mark>
      {after}
    </bdi>
  );
}

const maxBefore = 40;

/** A label of a chat. */
export const LabelTag = ({ name }: { name: string }) => (
  <bdi className="max-w-full truncate rounded-full border border-line px-2 py-0.5 text-xs text-soft">
    {name}
  </bdi>
);

const maxShownUnits = 300;

/** The beginning of a message in one line. Messages of bots and staff lose their formatting. */
function beginningOf({ author, text }: NonNullable<Schema<'Chat'>['lastMessage']>): string {
  const beginning = text.slice(0, maxShownUnits);
  return (author.kind === 'person' ? beginning : plainOf(beginning)) || '(no text)';
}
