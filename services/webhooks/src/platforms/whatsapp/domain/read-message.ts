import { cleanText, cutText } from '../../../text/domain/clean-text.ts';
import { withoutRemarks } from '../../../text/domain/remarks.ts';
import { type Fields, record, textOf } from '../../domain/fields.ts';
import { ratingOfEmoji } from '../../domain/rating-of-emoji.ts';
import type { ReadMessage } from '../../domain/read-delivery.ts';
import { contentWords, referencesOf, saidIn } from './content-words.ts';
import { momentOf } from './moments.ts';
import { type NamedPerson, personOf, senderOf } from './people.ts';
import { readAttachment } from './read-attachment.ts';
import { messageIdShape } from './shapes.ts';

/** A message without its place and sender, whose identifiers the store decides. */
export type WrittenMessage = Omit<ReadMessage, 'chat' | 'sender'>;

/** The content of an object of a notification, and its person. */
export type MessageContent =
  | { person: NamedPerson; message: WrittenMessage }
  | { person: NamedPerson; edit: Omit<WrittenMessage, 'file' | 'quote' | 'albumId'> & { editedAt: string } }
  | { person: NamedPerson; deletion: { platformMessageId: string; deletedAt: string } }
  | {
      person: NamedPerson;
      rating: { platformMessageId: string; rating: 'up' | 'down' | null; ratedAt: string };
    }
  | { renamed: { from: NamedPerson; to: NamedPerson } }
  | { ignored: string };

/** The platform allows 4,096. */
const maxUnitsOfText = 16_384;

/** Kinds of messages that become none for the agent. Others that are unknown count as unsupported. */
const ignoredTypes: Readonly<Record<string, string>> = {
  request_welcome: 'a chat was opened',
  ephemeral: 'event of the chat',
  group_invite: 'event of the chat',
};

/** Reads one object of a notification's `messages`. */
export function readMessage(raw: Fields, contacts: unknown, now: Date): MessageContent {
  const type = textOf(raw.type);
  if (textOf(raw.group_id) !== '') return { ignored: 'group message' };
  const ignored = ignoredTypes[type];
  if (ignored !== undefined) return { ignored };
  if (type === 'system') return readSystem(raw);
  const person = senderOf(raw, contacts);
  if (!person) return { ignored: 'no sender' };
  if (!messageIdShape.test(textOf(raw.id))) return { ignored: 'unreadable message' };
  if (type === 'revoke') return readRevoke(raw, person, now);
  if (type === 'edit') return readEdit(raw, person, now);
  const rating = type === 'reaction' ? readRating(raw, person, now) : undefined;
  if (rating) return rating;
  const { attachment, file } = readAttachment(type, raw) ?? {};
  return {
    person,
    message: {
      ...writtenMessage(type, raw, now),
      ...(attachment ? { attachment } : {}),
      ...(file ? { file } : {}),
    },
  };
}

function writtenMessage(type: string, raw: Fields, now: Date): WrittenMessage {
  const said = withoutRemarks(cleanText(saidIn(type, raw).slice(0, maxUnitsOfText + 1)));
  const content = cleanText(contentWords(type, raw) ?? '');
  const body = [said, content].filter((part) => part.trim() !== '').join('\n');
  const references = referencesOf(type, raw).map(cleanText);
  // A forwarded command is somebody else's.
  const command = references.length === 0 ? commandIn(type, said) : undefined;
  const words = cutText([...references, body].join('\n').trimEnd(), maxUnitsOfText);
  return {
    platformMessageId: textOf(raw.id),
    text: command ? command.argument : words,
    content: body === '' ? 'unsupported' : 'text',
    ...(command ? { command } : {}),
    sentAt: momentOf(raw.timestamp, now),
  };
}

/** The platform has no commands of its own: a text that begins with a slash and a word is one. */
function commandIn(type: string, said: string): { name: string; argument: string } | undefined {
  const match = type === 'text' ? /^\/([a-z][a-z_]{0,31})(?:\s+([\s\S]*))?$/i.exec(said.trim()) : null;
  return match ? { name: String(match[1]).toLowerCase(), argument: (match[2] ?? '').trim() } : undefined;
}

function readRevoke(raw: Fields, person: NamedPerson, now: Date): MessageContent {
  const platformMessageId = textOf(record(raw.revoke)?.original_message_id);
  if (!messageIdShape.test(platformMessageId)) return { ignored: 'unreadable message' };
  return { person, deletion: { platformMessageId, deletedAt: momentOf(raw.timestamp, now) } };
}

/** A thumb, or no reaction any more. Other reactions are messages. */
function readRating(raw: Fields, person: NamedPerson, now: Date): MessageContent | undefined {
  const reaction = record(raw.reaction);
  const emoji = textOf(reaction?.emoji);
  const platformMessageId = textOf(reaction?.message_id);
  const rating = ratingOfEmoji(emoji);
  if (!messageIdShape.test(platformMessageId) || (rating === null && emoji !== '')) return undefined;
  return { person, rating: { platformMessageId, rating, ratedAt: momentOf(raw.timestamp, now) } };
}

function readEdit(raw: Fields, person: NamedPerson, now: Date): MessageContent {
  const edit = record(raw.edit);
  const changed = record(edit?.message);
  const platformMessageId = textOf(edit?.original_message_id);
  if (!changed || !messageIdShape.test(platformMessageId)) return { ignored: 'unreadable message' };
  const type = textOf(changed.type);
  const { attachment } = readAttachment(type, changed) ?? {};
  const editedAt = momentOf(raw.timestamp, now);
  const written = writtenMessage(type, { ...changed, id: platformMessageId, timestamp: raw.timestamp }, now);
  return { person, edit: { ...written, ...(attachment ? { attachment } : {}), editedAt } };
}

/**
 * A change of the person's number or identifier. The text of such a message names the old and the new one, too, but
 * next to the name that the person chose for themselves: reading it would let anybody pass for another person.
 */
function readSystem(raw: Fields): MessageContent {
  const system = record(raw.system) ?? {};
  const type = textOf(system.type);
  if (!/^(?:user|customer)_changed_(?:number|user_id)$/.test(type)) return { ignored: 'event of the chat' };
  const to = personOf(system.user_id, system.wa_id ?? system.new_wa_id);
  const previousId = textOf(system.previous_user_id) || textOf(raw.from_user_id);
  const from = personOf(previousId === to?.userId ? undefined : previousId, raw.from);
  if (!to) return { ignored: 'unreadable message' };
  // Without an old identifier the number tells who it was, where it stayed the same.
  return { renamed: { from: from ?? { phone: to.phone }, to } };
}
