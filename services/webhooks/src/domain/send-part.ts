import { backoffMs, maxAttempts } from '@botyard/shared/bus/dead-letters';
import type { CallResult } from '../clients/messenger.ts';
import type { Deps } from '../deps.ts';
import type { ClaimedChat, PartOutcome, WaitingPart } from '../store/sending.ts';

/** What a send came to, and what that means for the chat. */
export interface SendOutcome extends PartOutcome {
  /** The chat waits at least this long. */
  waitMs?: number;
  /** The chat takes nothing any more; what waits for it is given up. */
  blockedReason?: string;
}

/** Sends one part; in the platform's formatting first, and once as plain text where that is refused (P0 3). */
export async function sendPart(
  { endpoints, messenger }: Pick<Deps, 'endpoints' | 'messenger'>,
  chat: ClaimedChat,
  part: WaitingPart,
): Promise<SendOutcome> {
  const endpoint = await endpoints.find(chat.botId);
  if (!endpoint) return { state: 'failed', lastError: 'the integration was deleted' };
  const send = (text: string, isHtml: boolean, platformChatId = chat.platformChatId) =>
    messenger.sendMessage(endpoint.botToken, { platformChatId, threadId: part.threadId, text, isHtml });
  let result = await send(part.html, true);
  if (result.outcome === 'refused' && result.migrateToChatId)
    result = await send(part.html, true, result.migrateToChatId);
  if (result.outcome === 'refused' && /can't parse entities/i.test(result.reason))
    result = await send(part.plain, false);
  return toOutcome(result, part.attempts + 1);
}

function toOutcome(result: CallResult<{ platformMessageId: string }>, attempts: number): SendOutcome {
  switch (result.outcome) {
    case 'ok':
      return { state: 'sent', platformMessageId: result.result.platformMessageId };
    case 'limited':
      return { state: 'queued', waitMs: result.retryAfterMs };
    case 'refused':
      return {
        state: 'failed',
        lastError: result.reason,
        ...(result.status === 403 ? { blockedReason: result.reason } : {}),
      };
    case 'failed': {
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
