import { HttpError } from '@botyard/shared/http/errors';
import type { Deps } from '../../../deps.ts';
import type { Send, SendResult } from '../../platform.ts';
import type { CallResult, SendMessage } from '../clients/messenger.ts';
import { connector, type MessengerEndpoint } from './connection.ts';
import type { ReplyPart } from './format-reply.ts';

type SendDeps = Pick<Deps, 'endpoints' | 'messenger' | 'log'>;
type Answer = CallResult<{ platformMessageId: string | undefined }>;

const outageWaitMs = 1000;

/**
 * Sends one message: to the chat's new id if the platform names one, and as plain text if it refuses the formatting
 * (REQ-CHAT-3). Each change is made once.
 */
export async function sendMessage(deps: SendDeps, send: Send<ReplyPart>): Promise<SendResult | undefined> {
  const { platformChatId, threadId, payload } = send;
  const endpoint = await findEndpoint(deps, send);
  if (endpoint === null) return { outcome: 'refused', reason: 'the integration was deleted' };
  if ('outcome' in endpoint) return endpoint;
  let message: SendMessage = { platformChatId, threadId, text: payload.html, isHtml: true };
  for (;;) {
    if (!(await send.mayCall())) return undefined;
    const answer = await deps.messenger.sendMessage(endpoint.botToken, message, send.signal);
    const change = changeAfter(answer, message, send);
    const movedTo = message.platformChatId === platformChatId ? undefined : message.platformChatId;
    if (!change) return { ...resultOf(answer), movedTo };
    message = { ...message, ...change };
  }
}

/** The change with which a refused message is sent again; `undefined` if there is none. */
function changeAfter(
  answer: Answer,
  message: SendMessage,
  { platformChatId, payload }: Send<ReplyPart>,
): Partial<SendMessage> | undefined {
  if (answer.outcome !== 'refused') return undefined;
  const { migrateToChatId: newChatId = platformChatId, reason } = answer;
  if (message.platformChatId === platformChatId && newChatId !== platformChatId)
    return { platformChatId: newChatId };
  return message.isHtml && refusesEntities.test(reason) ? { text: payload.text, isHtml: false } : undefined;
}

/** From the platform's parser, or from behind it, such as `ENTITY_BOUNDS_INVALID`. */
const refusesEntities = /can't parse entities|\bENTIT(?:Y|IES)_/i;

/** The endpoint, `null` if there is none, or the outcome of the message if the endpoint can't be read now. */
async function findEndpoint(
  { endpoints, log }: SendDeps,
  { botId }: Send<ReplyPart>,
): Promise<MessengerEndpoint | SendResult | null> {
  try {
    return await endpoints.find(connector, botId);
  } catch (error) {
    log.warn({ err: error, botId }, 'could not read the integration of a reply');
    const reason = 'the integration could not be read';
    if (error instanceof HttpError) return { outcome: 'waits', reason, waitMs: outageWaitMs };
    return { outcome: 'failed', reason, isUnclear: false };
  }
}

/** Refusals that are about the chat and not about the message: every other message would be refused there, too. */
const isOfPlace = ({ status, reason }: { status: number; reason: string }): boolean =>
  status === 403 ||
  /chat not found|group chat was deactivated|rights to send|CHAT_WRITE_FORBIDDEN/i.test(reason);

function resultOf(answer: Answer): SendResult {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'sent', platformMessageId: answer.result.platformMessageId };
    case 'limited':
      return { outcome: 'waits', waitMs: answer.retryAfterMs };
    case 'refused':
      return { outcome: 'refused', reason: answer.reason, isOfPlace: isOfPlace(answer) };
    case 'failed': {
      const { reason, unclear: isUnclear, isUnreached = false } = answer;
      return { outcome: 'failed', reason, isUnclear, isUnreached };
    }
  }
}
