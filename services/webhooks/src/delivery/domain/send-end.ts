import type { ClaimedChat } from '../store/chats.ts';
import type { PartEnd } from '../store/parts.ts';

/** The send that ended. Only an outcome that another process has left in a file has no chat. */
interface EndedSend {
  tenantId: string;
  chat?: ClaimedChat | undefined;
  partId: string;
  /** `null` for a part that belongs to no reply. */
  replyId: string | null;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  /** The chat's new identifier, from the platform's answer. */
  movedTo?: string | undefined;
}

/** How a send ended, in one of four ways. `settleSends` writes it. */
export type SendEnd = EndedSend &
  (
    | { end: 'sent'; platformMessageId: string | null }
    /** The part is given up. `blocksChat`: so is everything in its chat. `endsReply`: so is the rest of its reply. */
    | {
        end: 'refused';
        reason: string | null;
        blocksChat?: boolean;
        endsReply?: boolean;
        isAttempt?: boolean;
      }
    /** It may have arrived. It is repeated after `waitMs`, or given up without. */
    | { end: 'uncertain'; reason: string | null; waitMs: number | undefined }
    /** It did not arrive, and is made after `waitMs`. The platform asked for `askedMs` of that. */
    | { end: 'later'; reason: string | null; waitMs: number; askedMs?: number; isAttempt?: boolean }
  );

/** The next thing in the chat of a settled send: more parts, a wait, or nothing. Or another process has the chat. */
export type Next = 'more' | { waitMs: number } | 'empty' | 'lost';

export interface Settled {
  next: Next;
  /** `false`: it was written before, a later send has begun, or the part doesn't exist. */
  isWritten: boolean;
}

/** Other parts of the chat's queue are changed, too. */
export const changesChat = (end: SendEnd): boolean =>
  end.movedTo !== undefined ||
  (end.end === 'refused' && (end.blocksChat === true || end.endsReply === true)) ||
  (end.end === 'later' && end.askedMs !== undefined);

/** The time in ms for which the chat has to wait. */
export const waitOf = (end: SendEnd): number => ('waitMs' in end ? (end.waitMs ?? 0) : 0);

/** Nothing more is done for the part. */
export const isOver = (end: SendEnd): boolean => stateOf(end) !== 'queued';

/** The columns of the part for it. */
export function toPartEnd(end: SendEnd): Omit<PartEnd, 'isUnannounced'> {
  const { tenantId, partId, send } = end;
  const isUncertain = end.end === 'uncertain';
  return {
    tenantId,
    partId,
    send,
    state: stateOf(end),
    platformMessageId: end.end === 'sent' ? end.platformMessageId : null,
    lastError: end.end === 'sent' ? null : end.reason,
    isUncertain,
    isAttempt: isUncertain || ('isAttempt' in end && end.isAttempt === true),
  };
}

function stateOf(end: SendEnd): PartEnd['state'] {
  if (end.end === 'sent') return 'sent';
  if (end.end === 'refused') return 'failed';
  return end.waitMs === undefined ? 'failed' : 'queued';
}
