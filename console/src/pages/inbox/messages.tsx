import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { Fragment, useEffect, useRef } from 'react';
import { useList } from '../../api/use-answer.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { ChangeLine } from './change-line.tsx';
import { MessageLine } from './message-line.tsx';
import { NoteLine } from './notes.tsx';
import { OutgoingLine, useOutgoing } from './outgoing-lines.tsx';

/** True while a change may come without an event: a message that gets no answer, or a file that is being fetched. */
const isOnItsWay = ({ status, attachment }: Schema<'Message'>): boolean =>
  status === 'queued' || status === 'sending' || attachment?.file?.state === 'waiting';

const shownEvents = [
  'message.received',
  'message.edited',
  'message.deleted',
  'message.sent',
  'dead_letter.created',
] as const;

/**
 * A chat's messages, oldest first. The reversed column opens at the newest one and stays there as others come, unless
 * the reader has scrolled up.
 */
export function Messages({ chatId }: { chatId: string }) {
  const messages = useList('/api/interactions/chats/{chatId}/messages', {
    path: { chatId },
    live: { events: shownEvents, chatId },
    isUnsettled: isOnItsWay,
  });
  const traces = useList('/api/context-traces', {
    query: { chatId },
    live: { events: ['message.sent'], chatId },
  });
  const notes = useList('/api/interactions/chats/{chatId}/notes', {
    path: { chatId },
    live: { events: ['note.created', 'chat.updated'], chatId },
  });
  const changes = useList('/api/interactions/chats/{chatId}/changes', {
    path: { chatId },
    live: { events: ['chat.updated', 'message.received'], chatId },
  });
  const outgoing = useOutgoing(chatId).messages;
  useTracesFor(messages.data, traces);
  const wanted = useWantedMessage(messages);
  const traceOf = new Map(traces.data?.map(({ replyId, traceId }) => [replyId, traceId]));
  return (
    <section
      aria-label="History"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col-reverse overflow-x-hidden overflow-y-auto px-4 py-4 md:px-6"
    >
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-3">
        <div className="justify-self-center">
          <ShowMore list={messages}>Show earlier messages</ShowMore>
        </div>
        <Loaded answer={messages}>
          {(all) =>
            all.length === 0 && !notes.data?.length && outgoing.length === 0 ? (
              <Empty title="No messages in this chat yet." />
            ) : (
              <ol className="grid grid-cols-[minmax(0,1fr)] gap-4">
                {inOrder(
                  all,
                  [...(changes.data ?? []), ...(notes.data ?? [])],
                  messages.more !== undefined,
                ).map((line, at, oldestFirst) => (
                  <Fragment key={keyOf(line)}>
                    <DayLine day={line.createdAt} before={oldestFirst[at - 1]?.createdAt} />
                    {'noteId' in line ? (
                      <NoteLine chatId={chatId} note={line} />
                    ) : 'changeId' in line ? (
                      <ChangeLine change={line} />
                    ) : (
                      <MessageLine
                        message={line}
                        traceId={traceOf.get(line.messageId)}
                        isWanted={line.messageId === wanted}
                      />
                    )}
                  </Fragment>
                ))}
                {outgoing
                  .filter(({ messageId }) => !all.some((message) => message.messageId === messageId))
                  .map((message) => (
                    <OutgoingLine key={message.id} chatId={chatId} message={message} />
                  ))}
              </ol>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

type BesideLine = Schema<'ChatNote'> | Schema<'ChatChange'>;
type Line = Schema<'Message'> | BesideLine;

const keyOf = (line: Line): string =>
  'noteId' in line ? line.noteId : 'changeId' in line ? line.changeId : line.messageId;

/**
 * Messages, notes and changes in the order of time; a change stands before the message that caused it. Older
 * ones come with the messages before them.
 */
function inOrder(
  messages: readonly Schema<'Message'>[],
  besides: readonly BesideLine[],
  hasEarlier: boolean,
): Line[] {
  const oldest = messages.at(-1)?.createdAt;
  const shown = besides.filter(({ createdAt }) => !hasEarlier || oldest === undefined || createdAt >= oldest);
  return [...shown.toReversed(), ...messages.toReversed()].sort((one, other) =>
    one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : 0,
  );
}

/** The day of the messages below, where it differs from the one above. */
function DayLine({ day, before }: { day: string; before: string | undefined }) {
  const shown = dayOf(day);
  if (before !== undefined && dayOf(before) === shown) return null;
  return (
    <li className="flex items-center gap-3 text-xs text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {shown}
    </li>
  );
}

const dayOf = (moment: string): string => {
  const day = new Date(moment).toDateString();
  if (day === new Date().toDateString()) return 'Today';
  if (day === new Date(Date.now() - 24 * 3600_000).toDateString()) return 'Yesterday';
  return new Date(moment).toLocaleDateString(undefined, { dateStyle: 'full' });
};

/** A chat opens at an older message only as far back as this. */
const maxLoaded = 2000;

interface LoadedMessages {
  data: readonly { messageId: string }[] | undefined;
  more: (() => void) | undefined;
}

/** The message that the address names. Earlier ones are loaded until it is there, and it is scrolled into view once. */
function useWantedMessage({ data = [], more }: LoadedMessages): string | undefined {
  const { message } = useSearch({ strict: false });
  const shown = useRef<string>(undefined);
  const isLoaded = data.some(({ messageId }) => messageId === message);
  const have = data.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page.
  useEffect(() => {
    if (message === undefined || shown.current === message) return;
    if (!isLoaded && have > 0 && have < maxLoaded) more?.();
    if (!isLoaded) return;
    shown.current = message;
    document.getElementById(`message-${message}`)?.scrollIntoView({ block: 'center' });
  }, [message, isLoaded, have]);
  return message;
}

interface Traces {
  data: { createdAt: string }[] | undefined;
  more: (() => void) | undefined;
}

/** Loads traces, page by page, until they reach as far back as the messages. */
function useTracesFor(messages: Schema<'Message'>[] = [], { data: traces = [], more }: Traces): void {
  const [oldest, reached] = [messages.at(-1)?.createdAt, traces.at(-1)?.createdAt];
  const isShort = oldest !== undefined && reached !== undefined && reached > oldest;
  const have = traces.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page.
  useEffect(() => {
    if (isShort) more?.();
  }, [isShort, have]);
}
