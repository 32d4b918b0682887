import type { Quote, QuoteAuthor } from '@botyard/contracts/events/webhooks';
import { cutText } from '../../../text/domain/clean-text.ts';
import { chatTitle, personName } from './names.ts';
import { opensTopic, type PlatformMessage } from './update.ts';

/** The platform's own limits of a quote and of a message, in UTF-16 units. Longer texts are cut. */
const maxUnitsOfQuote = 1024;
const maxUnitsOfReply = 4096;

type Place = Pick<PlatformMessage, 'chat' | 'reply_to_message' | 'quote' | 'external_reply'>;
type User = NonNullable<NonNullable<PlatformMessage['reply_to_message']>['from']>;
type Chat = NonNullable<NonNullable<PlatformMessage['reply_to_message']>['sender_chat']>;

/**
 * The text that a message refers to: the part that the person selected, or else the whole text (or caption) of the
 * message that they replied to. Returns `undefined` when there is none, for a reply to a picture or to the message that
 * opened a topic.
 */
export function readQuote(message: Place): Quote | undefined {
  const target = opensTopic(message.reply_to_message) ? undefined : message.reply_to_message;
  const marked = cutText(message.quote?.text ?? '', maxUnitsOfQuote);
  const replied = cutText(target?.text || target?.caption || '', maxUnitsOfReply);
  const isMarked = marked.trim() !== '';
  const text = isMarked ? marked : replied;
  if (text.trim() === '') return undefined;
  const author = target ? authorOf(target.from, target.sender_chat) : externalAuthor(message);
  const platformMessageId = target ? target.message_id : externalMessageId(message);
  return {
    kind: isMarked ? 'quote' : 'reply',
    text,
    ...(author ? { author } : {}),
    ...(typeof platformMessageId === 'number' ? { platformMessageId: String(platformMessageId) } : {}),
  };
}

/** The author. For a channel or an anonymous admin it is the chat, because the account is the platform's own. */
function authorOf(user: User | null | undefined, chat: Chat | null | undefined): QuoteAuthor | undefined {
  if (chat) return { platformUserId: String(chat.id), name: chatTitle(chat), isBot: false };
  if (!user) return undefined;
  return { platformUserId: String(user.id), name: personName(user), isBot: user.is_bot === true };
}

/** A person who hides their account has only a name. */
function externalAuthor({ external_reply: external }: Place): QuoteAuthor | undefined {
  const origin = external?.origin;
  if (!origin) return undefined;
  const hidden = origin.sender_user_name;
  if (hidden) return { name: personName({ first_name: hidden }), isBot: false };
  return authorOf(origin.sender_user, origin.sender_chat ?? origin.chat);
}

/** An identifier is valid only within its chat. */
function externalMessageId({ chat, external_reply: external }: Place): number | null | undefined {
  return external?.chat?.id === chat.id ? external.message_id : undefined;
}
