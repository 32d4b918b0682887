import { cutText } from '../../../text/domain/clean-text.ts';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';
import type { ReadCallback, ReadContent } from '../../domain/read-delivery.ts';
import { isChannel, isDirect, isPerson, isTimestamp, placeOf, type Reading } from './place.ts';
import { plainText } from './words.ts';

const triggerShape = /^[\w.-]{1,200}$/;
const maxUnitsOfText = 16_384;
const maxUnitsOfChoice = 256;
const maxUnitsOfQuote = 1024;
/** The words of the command that are commands of the bot; everything else is a question. */
const words = new Set(['start', 'help', 'new', 'stop']);

/** A slash command. It has no message, so it is answered in the channel itself. */
export function readCommand(form: Fields, { names, now }: Reading): ReadContent {
  const { channel_id: channel, user_id: userId, trigger_id: triggerId } = form;
  if (!isChannel(channel) || !isPerson(userId) || !triggerShape.test(textOf(triggerId)))
    return { ignored: 'unreadable command' };
  const written = cutText(plainText(textOf(form.text), names).trim(), maxUnitsOfText);
  const word = written.toLowerCase();
  const name = written === '' ? 'help' : words.has(word) ? word : undefined;
  const text = name === undefined ? written : '';
  return {
    message: {
      chat: {
        platformChatId: channel,
        kind: isDirect(channel) ? 'private' : 'group',
        title: isDirect(channel) ? names.person(userId) : `#${cutText(textOf(form.channel_name), 100)}`,
      },
      sender: { platformUserId: userId, ...names.details(userId) },
      platformMessageId: `command:${textOf(triggerId)}`,
      text,
      content: 'text',
      ...(name === undefined ? {} : { command: { name, argument: '' } }),
      addressedBy: 'command',
      sentAt: now.toISOString(),
    },
  };
}

/** A press of a button under a message of the bot. The button's text counts as the person's message. */
export function readPress(payload: Fields, reading: Reading): ReadCallback | undefined {
  const callbackQueryId = textOf(payload.trigger_id);
  if (!triggerShape.test(callbackQueryId)) return undefined;
  const { bot, names, now } = reading;
  const container = record(payload.container);
  const channel = container?.channel_id ?? record(payload.channel)?.id;
  const userId = record(payload.user)?.id;
  const ts = container?.message_ts;
  if (!isChannel(channel) || !isTimestamp(ts)) return { callbackQueryId, ignored: 'a button in no chat' };
  if (!isPerson(userId)) return { callbackQueryId, ignored: 'no sender' };
  const message = record(payload.message);
  const [action] = records(payload.actions, 1);
  const text = cutText(choiceOf(action).trim(), maxUnitsOfChoice);
  if (text === '') return { callbackQueryId, ignored: 'a button without text' };
  const quoted = cutText(plainText(textOf(message?.text), names).trim(), maxUnitsOfQuote);
  const place = { ts, thread_ts: container?.thread_ts ?? message?.thread_ts, user: userId };
  return {
    callbackQueryId,
    message: {
      chat: placeOf(place, channel, reading),
      sender: { platformUserId: userId, ...names.details(userId) },
      // No message has this identifier, so no edit can refer to it.
      platformMessageId: `press:${callbackQueryId}`,
      text,
      content: 'text',
      ...(quoted === ''
        ? {}
        : {
            quote: {
              kind: 'reply' as const,
              text: quoted,
              author: { platformUserId: bot.botUserId, name: names.person(bot.botUserId), isBot: true },
              platformMessageId: ts,
            },
          }),
      addressedBy: 'button',
      sentAt: now.toISOString(),
    },
  };
}

/** The text of the pressed button or of the chosen option, else its value. */
function choiceOf(action: Fields | undefined): string {
  const chosen = record(action?.selected_option) ?? action;
  return textOf(record(chosen?.text)?.text) || textOf(chosen?.value);
}
