import { cutText } from '../../../text/domain/clean-text.ts';
import { type Fields, record, textOf } from '../../domain/fields.ts';
import type { ReadEdit, ReadMessage } from '../../domain/read-delivery.ts';
import { textOfBlocks } from './blocks.ts';
import type { OwnBot } from './connection.ts';
import { isChannel, isPerson, isTimestamp, momentOf, placeOf, type Reading } from './place.ts';
import { maxFiles, readFiles } from './read-files.ts';
import { plainText, sharedMessages } from './words.ts';

type Ignored = { ignored: string };

const maxUnitsOfText = 16_384;
/** A message without a subtype is what a person wrote; these are, too. All others tell of an event in the chat. */
const subtypesOfPeople = new Set(['', 'file_share', 'me_message', 'thread_broadcast']);
/** The platform's own assistant. */
const slackbot = 'USLACKBOT';

/** A message of a person, one for each of its files. The first one has the text. */
export function readMessages(event: Fields, reading: Reading): ReadMessage[] | Ignored {
  const ignored = reasonToIgnore(event, reading.bot);
  if (ignored) return { ignored };
  const message = wordsAndPlace(event, reading);
  const [first, ...others] = readFiles(event.files);
  if (!first) return [message];
  const albumId = others.length > 0 ? { albumId: message.platformMessageId } : {};
  return [
    { ...message, ...first, ...albumId },
    ...others.map((file, index) => ({
      ...message,
      ...albumId,
      ...file,
      // No message has this identifier, so no edit can refer to it.
      platformMessageId: fileIdOf(message.platformMessageId, index + 2),
      text: '',
      content: 'unsupported' as const,
    })),
  ];
}

const fileIdOf = (ts: string, place: number): string => `${ts}:file:${place}`;

/** Identifiers of the messages that a message's further files arrive as. */
export const otherFileIdsOf = (ts: string): string[] =>
  Array.from({ length: maxFiles - 1 }, (_none, index) => fileIdOf(ts, index + 2));

/** An edit of a person. The platform also reports previews of links and counts of answers as changes. */
export function readEdit(event: Fields, reading: Reading): ReadEdit | Ignored {
  const edited = editedMessage(event);
  const editedTs = record(edited.edited)?.ts;
  if (!isTimestamp(editedTs)) return { ignored: 'a change that is no edit' };
  const before = record(event.previous_message);
  if (before && textOf(before.text) === textOf(edited.text)) return { ignored: 'an edit without new words' };
  const ignored = reasonToIgnore(edited, reading.bot);
  if (ignored) return { ignored };
  const [attached] = readFiles(edited.files);
  return {
    ...wordsAndPlace(edited, reading),
    ...(attached ? { attachment: attached.attachment } : {}),
    editedAt: momentOf(editedTs),
  };
}

/** The message within a change of it, which itself doesn't name its channel. */
export const editedMessage = (event: Fields): Fields => ({
  ...record(event.message),
  channel: event.channel,
});

/** The reason to ignore a message: the platform's, the bot's own, other bots', and what no person wrote. */
export function reasonToIgnore(message: Fields, bot: OwnBot): string | undefined {
  const { user, bot_id: botId, channel, ts } = message;
  if (!isChannel(channel) || !isTimestamp(ts)) return 'unreadable message';
  if (user === bot.botUserId || botId === bot.platformBotId) return 'own message';
  if (typeof botId === 'string' || record(message.bot_profile)) return "another bot's message";
  const subtype = textOf(message.subtype);
  if (subtype === 'bot_message') return "another bot's message";
  if (!subtypesOfPeople.has(subtype)) return 'event of the chat';
  if (user === slackbot) return "another bot's message";
  return isPerson(user) ? undefined : 'no sender';
}

function wordsAndPlace(message: Fields, reading: Reading): ReadMessage {
  const { bot, names } = reading;
  const [userId, channel, ts] = [message.user, message.channel, message.ts].map(textOf) as [
    string,
    string,
    string,
  ];
  const source = textOf(message.text) || textOfBlocks(message.blocks);
  const written = plainText(withoutMention(source, bot), names).trim();
  const commandName = commandOf(written);
  const argument = commandName === undefined ? written : written.slice(commandName.length + 1).trim();
  const shared = sharedMessages(message.attachments, names);
  const text = cutText([...shared, argument].join('\n').trim(), maxUnitsOfText);
  const addressedBy = addressOf(message, source, bot);
  return {
    chat: placeOf(message, channel, reading),
    sender: { platformUserId: userId, ...names.details(userId) },
    platformMessageId: ts,
    text,
    content: text !== '' || commandName !== undefined ? 'text' : 'unsupported',
    ...(commandName === undefined ? {} : { command: { name: commandName, argument: text } }),
    ...(addressedBy ? { addressedBy } : {}),
    sentAt: momentOf(ts),
  };
}

/** The platform doesn't pass on what begins with a slash, except behind a mention or a space. */
const commandOf = (text: string): string | undefined => /^\/([a-z0-9_]{1,32})(?:\s|$)/i.exec(text)?.[1];

function addressOf(message: Fields, source: string, bot: OwnBot): ReadMessage['addressedBy'] {
  if (message.type === 'app_mention' || mentionOf(bot).test(source)) return 'mention';
  return message.parent_user_id === bot.botUserId ? 'reply' : undefined;
}

const mentionOf = ({ botUserId }: OwnBot): RegExp => new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>`);

/** The text without the bot's mention at its beginning, unless there is nothing else. */
function withoutMention(source: string, bot: OwnBot): string {
  const rest = source.replace(new RegExp(`^\\s*${mentionOf(bot).source}[\\s,:]*`), '');
  return rest.trim() === '' ? source : rest;
}
