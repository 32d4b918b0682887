import { randomInt } from 'node:crypto';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { HttpError } from '@botyard/shared/http/errors';
import type { Deps } from '../../../deps.ts';
import type { Endpoint } from '../../../endpoints/domain/endpoints.ts';
import type { CallResult, SendMessage } from '../../../platforms/telegram/clients/messenger.ts';
import type { PartOutcome } from '../../store/part-outcomes.ts';
import type { WaitingPart } from '../../store/sending.ts';
import type { ChatLease } from './chat-lease.ts';

/** What a send came to, and what that means for the chat. */
export interface SendOutcome extends PartOutcome {
  /** The chat waits at least this long. */
  waitMs?: number;
  /** The chat takes nothing any more; what waits for it is given up. */
  blockedReason?: string;
  /** Where the chat is now, as the platform told with its refusal. */
  migratedToChatId?: string;
}

type Sending = CallResult<{ platformMessageId: string | undefined }>;

const outageWaitMs = 1000;
/** A send of which nobody knows whether it arrived is repeated once: at most two copies. */
export const maxOpenSends = 2;
/** A platform that is away is away for all chats: they come back one by one. */
const awayWaitMs = () => randomInt(2000, 6000);

/**
 * Sends one part; in the platform's formatting first, and once as plain text where that is refused (P0 3).
 * `openSends` may have arrived before. `undefined` when the chat was lost to another worker before the send.
 */
export async function sendPart(
  deps: Pick<Deps, 'endpoints' | 'messenger' | 'log'>,
  lease: ChatLease,
  part: WaitingPart,
  { openSends, signal }: { openSends: number; signal?: AbortSignal },
): Promise<SendOutcome | undefined> {
  if (openSends >= maxOpenSends) return { state: 'failed', lastError: neverConfirmed, isUnclear: true };
  const endpoint = await findEndpoint(deps, lease, part);
  if (endpoint === null) return { state: 'failed', lastError: 'the integration was deleted' };
  if ('state' in endpoint) return endpoint;
  const { platformChatId } = lease.chat;
  const { threadId } = part;
  let message: SendMessage = { platformChatId, threadId, text: part.html, isHtml: true };
  const send = async (change: Partial<SendMessage> = {}): Promise<Sending | undefined> => {
    message = { ...message, ...change };
    if (!(await lease.isFresh())) return undefined;
    return await deps.messenger.sendMessage(endpoint.botToken, message, signal);
  };
  let result = await send();
  const migratedToChatId = result?.outcome === 'refused' ? result.migrateToChatId : undefined;
  if (migratedToChatId) result = await send({ platformChatId: migratedToChatId });
  if (result?.outcome === 'refused' && /can't parse entities/i.test(result.reason))
    result = await send({ text: part.plain, isHtml: false });
  return (
    result && { ...toOutcome(result, part, openSends), ...(migratedToChatId ? { migratedToChatId } : {}) }
  );
}

const neverConfirmed = 'the platform has never confirmed it';

/** The endpoint, `null` when there is none, or what it means for the part that nobody can tell now. */
async function findEndpoint(
  { endpoints, log }: Pick<Deps, 'endpoints' | 'log'>,
  { chat }: ChatLease,
  part: WaitingPart,
): Promise<Endpoint | SendOutcome | null> {
  try {
    return await endpoints.find(chat.botId);
  } catch (error) {
    log.warn({ err: error, botId: chat.botId }, 'the integration of a reply could not be read');
    const reason = 'the integration could not be read';
    if (error instanceof HttpError) return { state: 'queued', lastError: reason, waitMs: outageWaitMs };
    return tryAgain(part, { reason, waitMs: backoffMs(part.attempts + 1), isAttempt: true });
  }
}

/** Refusals that are about the chat, not about the message: nothing else would be taken there either. */
const isOfChat = ({ status, reason }: { status: number; reason: string }): boolean =>
  status === 403 ||
  /chat not found|group chat was deactivated|rights to send|CHAT_WRITE_FORBIDDEN/i.test(reason);

function toOutcome(result: Sending, part: WaitingPart, openSends: number): SendOutcome {
  switch (result.outcome) {
    case 'ok':
      return { state: 'sent', platformMessageId: result.result.platformMessageId };
    case 'limited':
      return { state: 'queued', waitMs: result.retryAfterMs };
    case 'refused':
      return {
        state: 'failed',
        lastError: result.reason,
        ...(isOfChat(result) ? { blockedReason: result.reason } : {}),
      };
    case 'failed': {
      const { reason, unclear: isUnclear } = result;
      if (result.isUnreached) return tryAgain(part, { reason, waitMs: awayWaitMs(), isAttempt: false });
      const waitMs = backoffMs(part.attempts + 1);
      if (!isUnclear) return tryAgain(part, { reason, waitMs, isAttempt: true });
      const state = openSends + 1 >= maxOpenSends ? 'failed' : 'queued';
      return { state, lastError: reason, isUnclear, isAttempt: true, waitMs };
    }
  }
}

/** What certainly did not arrive is tried again for as long as it is worth it, and then given up. */
function tryAgain(
  { worthMs }: Pick<WaitingPart, 'worthMs'>,
  { reason, waitMs, isAttempt }: { reason: string; waitMs: number; isAttempt: boolean },
): SendOutcome {
  return { state: waitMs >= worthMs ? 'failed' : 'queued', lastError: reason, isAttempt, waitMs };
}
