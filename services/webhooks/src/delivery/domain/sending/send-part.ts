import { randomInt } from 'node:crypto';
import type { Deps } from '../../../deps.ts';
import type { Platform, SendResult } from '../../../platforms/platform.ts';
import type { PartOutcome } from '../../store/part-outcomes.ts';
import type { WaitingPart } from '../../store/sending.ts';
import type { ChatLease } from './chat-lease.ts';

/** The outcome of a send, and its effects on the chat. */
export interface SendOutcome extends PartOutcome {
  /** The least time that the chat has to wait. */
  waitMs?: number;
  /** The reason why the chat no longer accepts anything. Its pending parts are given up. */
  blockedReason?: string;
  /** The other parts of the reply are given up, too. */
  endsReply?: boolean;
  /** The platform asked to wait for so long that it has to be noted. */
  askedWaitMs?: number;
  /** The chat's new identifier, from the platform's refusal. */
  movedToChatId?: string;
}

/** A send with an unknown outcome is repeated once, so that there are at most two copies. */
const maxOpenSends = 2;
/** An outage of a platform concerns all its chats: their retries are spread. */
const awayWaitMs = () => randomInt(2000, 6000);

/**
 * Sends one part. `openSends` earlier sends may have arrived. Resolves with `undefined` when the chat was lost to
 * another worker before the send.
 */
export async function sendPart(
  deps: Deps,
  { platform, lease }: { platform: Platform; lease: ChatLease },
  part: WaitingPart,
  { openSends, signal }: { openSends: number; signal?: AbortSignal },
): Promise<SendOutcome | undefined> {
  if (openSends >= maxOpenSends) return { state: 'failed', lastError: neverConfirmed, isUnclear: true };
  const { tenantId, botId, platformChatId } = lease.chat;
  const { threadId, partId, payload, place, sends } = part;
  const result = await platform.send(deps, {
    tenantId,
    botId,
    platformChatId,
    threadId,
    partId,
    payload,
    place,
    openSends,
    signal,
    send: sends + 1,
    mayCall: () => lease.isFresh(),
  });
  if (!result) return undefined;
  const { movedTo: movedToChatId } = result;
  return { ...toOutcome(platform, result, part, openSends), ...(movedToChatId ? { movedToChatId } : {}) };
}

type Wait = Extract<SendResult, { outcome: 'waits' }>;

const toQueued = ({ waitMs, reason }: Wait): SendOutcome => ({ state: 'queued', waitMs, lastError: reason });

/** The most that a part waits because the platform asks for it. */
const maxAskedMs = 24 * 3600_000;
/** Shorter waits change nothing about what a reply is worth. */
const notedFromMs = 60_000;

/** A wait at the platform's request ends with the reply only when it becomes longer than a day. */
function toWait(wait: Wait, waitedMs: number): SendOutcome {
  const { waitMs, reason = 'the platform asks to wait' } = wait;
  if (waitedMs + waitMs > maxAskedMs)
    return { state: 'failed', lastError: `${reason} for more than a day`, endsReply: true };
  const until = new Date(Date.now() + waitMs).toISOString();
  if (waitMs < notedFromMs) return toQueued(wait);
  return { ...toQueued(wait), lastError: `${reason} until ${until}`, askedWaitMs: waitMs };
}

const neverConfirmed = 'the platform has never confirmed it';

function toOutcome(
  platform: Platform,
  result: SendResult,
  { attempts, worthMs, waitedMs }: WaitingPart,
  openSends: number,
): SendOutcome {
  switch (result.outcome) {
    case 'sent':
      return { state: 'sent', platformMessageId: result.platformMessageId };
    case 'waits':
      return result.isAsked ? toWait(result, waitedMs) : toQueued(result);
    case 'refused': {
      const { reason: lastError, isOfPlace = false, isOfReply: endsReply = false } = result;
      return { state: 'failed', lastError, endsReply, ...(isOfPlace ? { blockedReason: lastError } : {}) };
    }
    case 'failed': {
      const { reason: lastError, isUnclear, isUnreached = false } = result;
      if (isUnreached) {
        const waitMs = awayWaitMs();
        return { state: waitMs < worthMs ? 'queued' : 'failed', lastError, waitMs };
      }
      // A part that certainly did not arrive is retried while it is worth sending, and then given up.
      const waitMs = platform.retryInMs(attempts + 1, isUnclear ? Number.POSITIVE_INFINITY : worthMs);
      const isLast = waitMs === undefined || (isUnclear && openSends + 1 >= maxOpenSends);
      return {
        lastError,
        isUnclear,
        isAttempt: true,
        ...(isLast ? { state: 'failed' } : { state: 'queued', waitMs }),
      };
    }
  }
}
