import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import { type Fields, textOf } from '../../domain/fields.ts';
import type { OwnBot } from './connection.ts';
import type { Names } from './words.ts';

/** A moment in seconds, which also names a message in its channel: `1355517523.000005`. */
export const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,12}\.\d{1,9}$/.test(value);

export const momentOf = (timestamp: string): string => new Date(Number(timestamp) * 1000).toISOString();

const channelShape = /^[CDG][A-Z0-9]{1,63}$/;

/** Whether it names a channel, a group or a direct message. */
export const isChannel = (value: unknown): value is string =>
  typeof value === 'string' && channelShape.test(value);

/** Whether it names a person, of this or another workspace. */
export const isPerson = (value: unknown): value is string =>
  typeof value === 'string' && /^[UW][A-Z0-9]{1,63}$/.test(value);

/** Direct messages with the bot alone. A conversation with several people is a group. */
export const isDirect = (channel: string): boolean => channel.startsWith('D');

/**
 * A message in a channel is answered in its thread, which it begins if it stands alone. A direct message is answered
 * beneath it, unless it is in a thread itself.
 */
export function placeOf(message: Fields, channel: string, { bot, names }: Reading): ChatPlace {
  const ts = textOf(message.ts);
  const threadTs = isTimestamp(message.thread_ts) ? message.thread_ts : ts;
  const beginsThread = !isDirect(channel) || bot.threadsDirectMessages;
  const threadId = threadTs !== ts || beginsThread ? threadTs : '';
  return {
    platformChatId: channel,
    kind: isDirect(channel) ? 'private' : 'group',
    title: isDirect(channel) ? names.person(textOf(message.user)) : `#${names.channel(channel)}`,
    ...(threadId === '' ? {} : { threadId, threadKind: 'thread' as const }),
  };
}

export interface Reading {
  bot: OwnBot;
  names: Names;
  now: Date;
}
