import { escapeHtml } from '@botyard/shared/http/escape-html';
import { findForSend, unsent } from '../../domain/sending.ts';
import type { Send, SendResult } from '../../platform.ts';
import type { CallResult } from '../clients/messenger.ts';
import type { SendMessage } from '../clients/send-body.ts';
import type { Deps } from '../deps.ts';
import { connector, type MessengerEndpoint } from './connection.ts';
import type { ReplyPart } from './format-reply.ts';
import { toKeyboard } from './keyboard.ts';

export type SendDeps = Pick<Deps, 'endpoints' | 'messenger' | 'log'>;
type Answer = CallResult<{ platformMessageId: string | undefined }>;

/**
 * Sends one message: to the chat's new id if the platform names one, as plain text if it refuses the formatting
 * (REQ-CHAT-3), and outside a topic that no longer exists. Each change is made once.
 */
export async function sendMessage(deps: SendDeps, send: Send<ReplyPart>): Promise<SendResult | undefined> {
  const { platformChatId, threadId, payload } = send;
  const endpoint = await findForSend(deps.log, send.botId, () => deps.endpoints.find(connector, send.botId));
  if ('outcome' in endpoint) return endpoint;
  const receiver = receiverOf(send);
  const buttons = toKeyboard(payload.choices ?? []);
  let message: SendMessage = {
    platformChatId,
    threadId,
    text: payload.html,
    isHtml: true,
    receiver,
    buttons,
  };
  for (;;) {
    if (!(await send.mayCall())) return undefined;
    const answer = await deps.messenger.sendMessage(endpoint.botToken, message, send.signal);
    const change =
      answer.outcome === 'refused' ? changeAfter(answer, message, { send, endpoint }) : undefined;
    const movedTo = message.platformChatId === platformChatId ? undefined : message.platformChatId;
    if (!change) return { ...resultOf(answer, message), movedTo };
    message = { ...message, ...change };
  }
}

/** An answer to what one person said unseen in a group is never shown to the others. */
export function receiverOf({ place }: Pick<Send, 'place'>): SendMessage['receiver'] {
  const { receiverId, receivedId } = place ?? {};
  return receiverId === undefined ? undefined : { userId: receiverId, answeredId: receivedId };
}

interface Sending {
  send: Send<ReplyPart>;
  endpoint: MessengerEndpoint;
}

/** The change with which a refused message is sent again; `undefined` if there is none. */
function changeAfter(
  { migrateToChatId, reason }: Refusal,
  message: SendMessage,
  { send, endpoint }: Sending,
): Partial<SendMessage> | undefined {
  const { platformChatId, payload } = send;
  const newChatId = migrateToChatId ?? platformChatId;
  if (message.platformChatId === platformChatId && newChatId !== platformChatId)
    return { platformChatId: newChatId };
  if (message.isHtml && refusesEntities.test(reason)) return { text: payload.text, isHtml: false };
  if (message.threadId !== null && losesTopic.test(reason)) return withoutTopic(message, { send, endpoint });
  const { receiver } = message;
  // The message that it answers may be too old or gone; an admin may write to its sender all the same.
  if (receiver?.answeredId !== undefined && refusesReply.test(reason))
    return { receiver: { ...receiver, answeredId: undefined } };
  return undefined;
}

type Refusal = Extract<Answer, { outcome: 'refused' }>;

/** The platform's reasons for a topic that doesn't exist any more. */
export const losesTopic = /message thread not found|TOPIC_DELETED|TOPIC_ID_INVALID/i;
const closesTopic = /TOPIC_CLOSED/i;
const refusesReply = /repl(?:y|ied)|EPHEMERAL|MESSAGE_ID_INVALID|BOT_NOT_ADMIN/i;
const maxMessageUnits = 4096;

/** The same message for the chat, with the lost topic's name if the chat has others; `undefined` if it isn't sent. */
function withoutTopic(
  message: SendMessage,
  { send: { platformChatId, place, threadId }, endpoint }: Sending,
): Partial<SendMessage> | undefined {
  // The platform's ids of groups are negative. A person alone in a chat knows what they asked.
  if (!platformChatId.startsWith('-') || message.receiver) return { threadId: null };
  if (endpoint.lostTopic === 'none') return undefined;
  const name = place?.threadTitle || `#${threadId}`;
  const head = message.isHtml ? `<b>${escapeHtml(name)}</b>\n\n` : `${name}\n\n`;
  const isFitting = message.text.length + head.length <= maxMessageUnits;
  return { threadId: null, text: isFitting ? head + message.text : message.text };
}

/** From the platform's parser, or from behind it, such as `ENTITY_BOUNDS_INVALID`. */
const refusesEntities = /can't parse entities|\bENTIT(?:Y|IES)_/i;

/** Refusals that are about the chat and not about the message: every other message would be refused there, too. */
const isOfPlace = ({ status, reason }: Refusal): boolean =>
  status === 403 ||
  /chat not found|group chat was deactivated|rights to send|CHAT_WRITE_FORBIDDEN/i.test(reason);

export function resultOf(answer: Answer, { receiver }: Pick<SendMessage, 'receiver'>): SendResult {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'sent', platformMessageId: answer.result.platformMessageId };
    case 'refused': {
      const { reason } = answer;
      const isOfReply = receiver !== undefined || losesTopic.test(reason) || closesTopic.test(reason);
      return { outcome: 'refused', reason, isOfReply, isOfPlace: !isOfReply && isOfPlace(answer) };
    }
    default:
      return unsent(answer);
  }
}
