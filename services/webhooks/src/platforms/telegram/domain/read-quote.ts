import type { Quote, QuoteAuthor } from '@botyard/contracts/events/webhooks';
import { cutText } from '../../../text/domain/clean-text.ts';
import { type Fields, record, textOf } from '../../domain/fields.ts';
import { chatTitle, personName } from './names.ts';
import { opensTopic, type PlatformMessage } from './update.ts';
import { readEntities } from './words/read-entities.ts';
import { wordsOfContent } from './words/references.ts';
import { shownWords, textOfMessage } from './words/words-of-message.ts';

/** The platform's own limits of a quote and of a message, in UTF-16 units. Longer texts are cut. */
const maxUnitsOfQuote = 1024;
const maxUnitsOfReply = 4096;

type Place = Pick<PlatformMessage, 'chat' | 'reply_to_message' | 'external_reply'>;
type User = NonNullable<NonNullable<PlatformMessage['reply_to_message']>['from']>;
type Chat = NonNullable<NonNullable<PlatformMessage['reply_to_message']>['sender_chat']>;

/**
 * The words that a message refers to: the part that the person selected, or else all words of the message that they
 * replied to. Returns `undefined` when there are none, for a reply to a picture or to the message that opened a topic.
 */
export function readQuote(message: Place, raw: Fields): Quote | undefined {
  const target = opensTopic(message.reply_to_message) ? undefined : message.reply_to_message;
  const marked = cutText(shownWords(textOfQuote(record(raw.quote))), maxUnitsOfQuote);
  const replied = cutText(
    targetWords(record(target ? raw.reply_to_message : raw.external_reply)),
    maxUnitsOfReply,
  );
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

/** A text is cut before it is read, to one unit more than is kept, so that a character at the end stays whole. */
const cut = (text: string, units: number): string => text.slice(0, units + 1);

const textOfQuote = (quote: Fields | undefined) => ({
  text: cut(textOf(quote?.text), maxUnitsOfQuote),
  entities: readEntities(quote?.entities),
});

function targetWords(target: Fields | undefined): string {
  if (!target) return '';
  const formatted = textOfMessage(target);
  const words = shownWords({ ...formatted, text: cut(formatted.text, maxUnitsOfReply) });
  return words.trim() === '' ? (wordsOfContent(target) ?? '') : words;
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
