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

/** The columns of the part for it. `announcesLater`: without the announcement of its reply. */
export function toPartEnd(ended: SendEnd, { announcesLater = false } = {}): PartEnd {
  const { tenantId, partId, send, end, waitMs, reason, platformMessageId, isAttempt = false } = ended;
  const isUncertain = end === 'uncertain';
  const unsent = waitMs === undefined ? 'failed' : 'queued';
  const state = end === 'sent' ? 'sent' : unsent;
  return {
    tenantId,
    partId,
    send,
    state,
    platformMessageId: platformMessageId ?? null,
    lastError: reason ?? null,
    isUncertain,
    isAttempt: isUncertain || isAttempt,
    isUnannounced: announcesLater && state !== 'queued',
  };
}
