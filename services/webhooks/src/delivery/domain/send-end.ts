import type { ClaimedChat } from '../store/chats.ts';
import type { PartEnd } from '../store/parts.ts';

/** How a send ended, in one of four ways. `settleSends` writes it. */
export interface SendEnd {
  tenantId: string;
  /** Only an end that another process has left in a file has none. */
  chat?: ClaimedChat | undefined;
  partId: string;
  /** `null` for a part that belongs to no reply. */
  replyId: string | null;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  /**
   * - `sent`: the platform has accepted it.
   * - `refused`: the part is given up.
   * - `uncertain`: it may have arrived. It is repeated after `waitMs`, or given up without.
   * - `later`: it did not arrive, and is made after `waitMs`.
   */
  end: 'sent' | 'refused' | 'uncertain' | 'later';
  waitMs?: number | undefined;
  reason?: string | null | undefined;
  platformMessageId?: string | null | undefined;
  /** It counts for the wait before the next attempt. An uncertain send always does. */
  isAttempt?: boolean | undefined;
  /** Everything else in the chat is given up, too. */
  blocksChat?: boolean;
  /** The rest of the reply is given up, too. */
  endsReply?: boolean;
  /** The part of the wait that the platform asked for. */
  askedMs?: number;
  /** The chat's new identifier, from the platform's answer. */
  movedTo?: string | undefined;
}

/** The next thing in the chat of a settled send: more parts, a wait, or nothing. Or another process has the chat. */
export type Next = 'more' | { waitMs: number } | 'empty' | 'lost';

export interface Settled {
  next: Next;
  /** `false`: it was written before, a later send has begun, or the part doesn't exist. */
  isWritten: boolean;
}

/** The columns of the part for it. */
export function toPartEnd(ended: SendEnd): Omit<PartEnd, 'isUnannounced'> {
  const { tenantId, partId, send, end, waitMs, reason, platformMessageId, isAttempt = false } = ended;
  const isUncertain = end === 'uncertain';
  const unsent = waitMs === undefined ? 'failed' : 'queued';
  return {
    tenantId,
    partId,
    send,
    state: end === 'sent' ? 'sent' : unsent,
    platformMessageId: platformMessageId ?? null,
    lastError: reason ?? null,
    isUncertain,
    isAttempt: isUncertain || isAttempt,
  };
}
