import type { Schema } from '@botyard/client/client';
import { Link, useParams } from '@tanstack/react-router';
import { Check, CheckCheck, CircleHelp, Clock, type LucideIcon, TriangleAlert } from 'lucide-react';
import { lazy, memo, Suspense, useState } from 'react';
import { useMayChange, useSeesTenant } from '../../api/acting.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { Choices } from '../../parts/choices.tsx';
import { State } from '../../parts/controls.tsx';
import { FormattedText } from '../../parts/formatted-text.tsx';
import { Time } from '../../parts/text.tsx';
import { Attachment } from '../attachment.tsx';
import { writerOf } from './writer.ts';

type Message = Schema<'Message'>;

const looks = {
  person: 'rounded-tl-sm bg-sunk',
  bot: 'rounded-tr-sm bg-accent-tint',
  staff: 'rounded-tr-sm bg-staff-tint',
} as const;

interface MessageLineProps {
  message: Message;
  traceId: string | undefined;
  /** The message that was searched for. */
  isWanted: boolean;
}

/**
 * One message: a person's on the left, a bot's or a colleague's on the right. It is rendered again only when it has
 * changed.
 */
export const MessageLine = memo(function MessageLine({ message, traceId, isWanted }: MessageLineProps) {
  const { direction, text, choices, author, attachment, editedAt, deletedAt, createdAt } = message;
  const isIn = direction === 'in';
  return (
    <li
      id={`message-${message.messageId}`}
      aria-current={isWanted || undefined}
      className={`flex gap-2.5 ${isIn ? 'justify-start' : 'justify-end'} ${isWanted ? 'rounded-xl outline-2 outline-offset-4 outline-accent' : ''}`}
    >
      {isIn && <Avatar name={writerOf(author)} size="small" />}
      <div className={`grid max-w-[85%] min-w-0 gap-1 md:max-w-[75%] ${isIn ? '' : 'justify-items-end'}`}>
        <p className="flex flex-wrap items-center gap-2 text-xs text-soft">
          <bdi className="font-medium [overflow-wrap:anywhere] text-ink">{writerOf(author)}</bdi>
          <Time at={createdAt} />
          {editedAt && !deletedAt && <span>edited</span>}
        </p>
        <div className={`max-w-full min-w-0 rounded-2xl px-3.5 py-2 ${looks[author.kind]}`}>
          {deletedAt ? (
            <p className="text-soft italic">deleted by the person</p>
          ) : author.kind === 'person' ? (
            <p dir="auto" className="overflow-x-clip [overflow-wrap:anywhere] whitespace-pre-wrap">
              {text}
            </p>
          ) : (
            <FormattedText text={text} />
          )}
          {attachment && <Attachment messageId={message.messageId} attachment={attachment} />}
        </div>
        {choices && !deletedAt && <Choices texts={choices} />}
        <Outcome message={message} traceId={traceId} />
      </div>
    </li>
  );
});

const icons: Readonly<Partial<Record<Message['status'], LucideIcon>>> = {
  sending: Clock,
  queued: Clock,
  sent: Check,
  answered: Check,
  failed: TriangleAlert,
  dead: TriangleAlert,
  uncertain: CircleHelp,
};

const SaveAsTest = lazy(async () => ({ default: (await import('../tests/save-as-test.tsx')).SaveAsTest }));

/** Makes a test case of an answer, for people who may change agents. */
function TestOfAnswer({ messageId }: { messageId: string }) {
  const { chatId } = useParams({ strict: false });
  const [isOpen, open] = useState(false);
  const mayChange = useMayChange();
  const seesTenant = useSeesTenant();
  if (!mayChange || !seesTenant || chatId === undefined) return null;
  return (
    <>
      <button
        type="button"
        className="cursor-pointer font-medium text-accent hover:underline"
        onClick={() => open(true)}
      >
        Save as a test
      </button>
      {isOpen && (
        <Suspense>
          <SaveAsTest chatId={chatId} messageId={messageId} onClose={() => open(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Shows what became of a message, and the way to the reasons for an answer. */
function Outcome({ message, traceId }: { message: Message; traceId: string | undefined }) {
  const { status, failure, isAutomatic, reason, receipt, rating, ratedMessageId } = message;
  const isLost = receipt?.state === 'failed';
  const Icon = isLost ? TriangleAlert : receipt ? CheckCheck : icons[status];
  const isBad = status === 'failed' || status === 'dead' || isLost;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
      <span className={`inline-flex items-center gap-1 ${isBad ? 'font-medium text-bad' : ''}`}>
        {Icon && <Icon aria-hidden="true" className="size-3.5" />}
        {receipt?.state ?? (status === 'ignored' ? 'not answered by the bot' : status)}
      </span>
      {ratedMessageId && <span>{message.direction === 'in' ? 'a rating' : 'asks if the answer helped'}</span>}
      {isAutomatic && <State word={reason ? `automatic: ${reason}` : 'automatic'} />}
      {rating && <span>{rating === 'up' ? '👍 rated up' : '👎 rated down'}</span>}
      {receipt?.reason && <span className="text-bad [overflow-wrap:anywhere]">{receipt.reason}</span>}
      {failure && <span className="text-bad [overflow-wrap:anywhere]">{failure}</span>}
      {traceId && (
        <Link
          to="."
          search={(now) => ({ ...now, trace: traceId })}
          className="font-medium text-accent hover:underline"
        >
          Why this answer?
        </Link>
      )}
      {traceId && message.author.kind === 'bot' && <TestOfAnswer messageId={message.messageId} />}
    </div>
  );
}
