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
  const { threadId, partId, payload, sends } = part;
  const result = await platform.send(deps, {
    ...{ tenantId, botId, platformChatId, threadId, partId, payload, openSends, signal },
    send: sends + 1,
    mayCall: () => lease.isFresh(),
  });
  if (!result) return undefined;
  const { movedTo: movedToChatId } = result;
  return { ...toOutcome(platform, result, part, openSends), ...(movedToChatId ? { movedToChatId } : {}) };
}

const neverConfirmed = 'the platform has never confirmed it';

function toOutcome(
  platform: Platform,
  result: SendResult,
  { attempts, worthMs }: WaitingPart,
  openSends: number,
): SendOutcome {
  switch (result.outcome) {
    case 'sent':
      return { state: 'sent', platformMessageId: result.platformMessageId };
    case 'waits':
      return { state: 'queued', waitMs: result.waitMs, lastError: result.reason };
    case 'refused': {
      const { reason, isOfPlace = false } = result;
      return { state: 'failed', lastError: reason, ...(isOfPlace ? { blockedReason: reason } : {}) };
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
        ...{ lastError, isUnclear, isAttempt: true },
        ...(isLast ? { state: 'failed' } : { state: 'queued', waitMs }),
      };
    }
  }
}
