import { z } from 'zod';
import { cleanText, cutText } from '../../../text/domain/clean-text.ts';
import { loose } from '../../domain/fields.ts';
import type { ReadCallback } from '../../domain/read-delivery.ts';
import type { OwnBot } from './connection.ts';
import { placeOf, senderOf } from './read-message.ts';
import { Chat, first, User } from './update.ts';

/** Identifiers that no database can store are rejected: the platform's own are digits. */
const Named = z.object({
  id: z
    .string()
    .min(1)
    .max(200)
    .refine((id) => id === cleanText(id)),
});

const Button = z.object({ text: z.string(), callback_data: loose(z.string()) });
/** The platform allows a hundred buttons. */
const maxRows = 100;
const maxColumns = 16;
const Keyboard = z.object({ inline_keyboard: first(maxRows, first(maxColumns, Button)) });

/** The message that the button belongs to. An inaccessible one (`date: 0`) has only its chat and identifier. */
const ButtonMessage = z.object({
  message_id: z.number().int(),
  chat: Chat,
  message_thread_id: loose(z.number().int()),
  is_topic_message: loose(z.boolean()),
  text: loose(z.string()),
  caption: loose(z.string()),
  reply_markup: loose(Keyboard),
});

const CallbackQuery = z.object({
  from: User,
  message: ButtonMessage.nullish(),
  data: loose(z.string()),
});

/** More than any button holds: the platform allows 64 bytes of data. */
const maxUnitsOfChoice = 256;
const maxUnitsOfQuote = 1024;

/** Returns `undefined` when it has no identifier, so that it can't even be acknowledged. */
export function readCallback(raw: unknown, bot: OwnBot, now: Date): ReadCallback | undefined {
  const named = Named.safeParse(raw);
  if (!named.success) return undefined;
  const callbackQueryId = named.data.id;
  const parsed = CallbackQuery.safeParse(raw);
  if (!parsed.success) return { callbackQueryId, ignored: 'unreadable callback_query' };
  const { from, message, data } = parsed.data;
  if (!message) return { callbackQueryId, ignored: 'a button in no chat of the bot' };
  if (message.chat.type === 'channel') return { callbackQueryId, ignored: 'a button in a channel' };
  if (from.is_bot) return { callbackQueryId, ignored: "another bot's press of a button" };
  const text = choiceOf(message, data ?? '');
  if (text.trim() === '') return { callbackQueryId, ignored: 'a button without text' };
  const chat = placeOf(message);
  const quoted = cutText(message.text || message.caption || '', maxUnitsOfQuote);
  return {
    callbackQueryId,
    message: {
      chat,
      ...(chat.kind === 'private' ? {} : { addressedBy: 'button' }),
      sender: senderOf({ from, sender_chat: undefined }),
      // No message has this identifier, so no edit can refer to it.
      platformMessageId: `callback:${callbackQueryId}`,
      text,
      content: 'text',
      ...(quoted.trim() === '' ? {} : { quote: quoteOf(message.message_id, quoted, bot) }),
      sentAt: now.toISOString(),
    },
  };
}

/** The pressed button's text, or its data if the platform doesn't include the button. It is never a command. */
function choiceOf({ reply_markup: keyboard }: z.output<typeof ButtonMessage>, data: string): string {
  const buttons = (keyboard?.inline_keyboard ?? []).flatMap((row) => row ?? []);
  const pressed = buttons.find((button) => button.callback_data === data && button.text.trim() !== '');
  return cutText(pressed?.text ?? data, maxUnitsOfChoice);
}

const quoteOf = (messageId: number, text: string, { platformBotId, username }: OwnBot) => ({
  kind: 'reply' as const,
  text,
  author: { platformUserId: platformBotId, name: username, isBot: true },
  platformMessageId: String(messageId),
});
