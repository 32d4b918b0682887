import { randomInt } from 'node:crypto';
import { backoffMs, maxAttempts } from '@botyard/shared/bus/dead-letters';
import { HttpError } from '@botyard/shared/http/errors';
import type { CallResult, SendMessage } from '../../clients/messenger.ts';
import type { Deps } from '../../deps.ts';
import type { PartOutcome, WaitingPart } from '../../store/sending.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import type { Hold } from './hold.ts';

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
/** A platform that is away is away for all chats: they come back one by one, and no message has used up its tries. */
const awayWaitMs = () => randomInt(2000, 6000);

/**
 * Sends one part; in the platform's formatting first, and once as plain text where that is refused (P0 3).
 * `undefined` when the chat was lost to another worker before the send.
 */
export async function sendPart(
  deps: Pick<Deps, 'endpoints' | 'messenger' | 'log'>,
  hold: Hold,
  part: WaitingPart,
): Promise<SendOutcome | undefined> {
  const endpoint = await findEndpoint(deps, hold, part);
  if (endpoint === null) return { state: 'failed', lastError: 'the integration was deleted' };
  if ('state' in endpoint) return endpoint;
  const { platformChatId } = hold.chat;
  const { threadId } = part;
  let message: SendMessage = { platformChatId, threadId, text: part.html, isHtml: true };
  const send = async (change: Partial<SendMessage> = {}): Promise<Sending | undefined> => {
    message = { ...message, ...change };
    return (await hold.isFresh()) ? await deps.messenger.sendMessage(endpoint.botToken, message) : undefined;
  };
  let result = await send();
  const migratedToChatId = result?.outcome === 'refused' ? result.migrateToChatId : undefined;
  if (migratedToChatId) result = await send({ platformChatId: migratedToChatId });
  if (result?.outcome === 'refused' && /can't parse entities/i.test(result.reason))
    result = await send({ text: part.plain, isHtml: false });
  return (
    result && { ...toOutcome(result, part.attempts + 1), ...(migratedToChatId ? { migratedToChatId } : {}) }
  );
}

/** The endpoint, `null` when there is none, or what it means for the part that nobody can tell now. */
async function findEndpoint(
  { endpoints, log }: Pick<Deps, 'endpoints' | 'log'>,
  { chat }: Hold,
  part: WaitingPart,
): Promise<Endpoint | SendOutcome | null> {
  try {
    return await endpoints.find(chat.botId);
  } catch (error) {
    log.warn({ err: error, botId: chat.botId }, 'the integration of a reply could not be read');
    const reason = 'the integration could not be read';
    if (error instanceof HttpError) return { state: 'queued', lastError: reason, waitMs: outageWaitMs };
    return toOutcome({ outcome: 'failed', reason, unclear: false }, part.attempts + 1);
  }
}

/** Refusals that are about the chat, not about the message: nothing else would be taken there either. */
const isOfChat = ({ status, reason }: { status: number; reason: string }): boolean =>
  status === 403 ||
  /chat not found|group chat was deactivated|rights to send|CHAT_WRITE_FORBIDDEN/i.test(reason);

function toOutcome(result: Sending, attempts: number): SendOutcome {
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
      if (result.isUnreached) return { state: 'queued', lastError: result.reason, waitMs: awayWaitMs() };
      const isLast = attempts >= maxAttempts;
      return {
        state: isLast ? 'failed' : 'queued',
        lastError: result.reason,
        isUncertain: result.unclear,
        isAttempt: true,
        ...(isLast ? {} : { waitMs: backoffMs(attempts) }),
      };
    }
  }
}
