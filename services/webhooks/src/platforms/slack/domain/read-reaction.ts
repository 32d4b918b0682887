import { type Fields, record, textOf } from '../../domain/fields.ts';
import type { ReadContent } from '../../domain/read-delivery.ts';
import { isChannel, isPerson, isTimestamp, momentOf, type Reading } from './place.ts';

const thumb = /^(\+1|thumbsup|-1|thumbsdown)(::skin-tone-[2-6])?$/;
/** Two names of one emoji: the platform shows both, and a reaction has either. */
const aliases: Readonly<Record<string, string>> = { thumbsup: '+1', thumbsdown: '-1' };

/**
 * A thumb that a person added to a message or took back, or `undefined` if the event is no reaction. A person may have
 * several on one message, which come and go one by one. The event doesn't name the message's thread.
 */
export function readReaction(event: Fields, seconds: number, { bot }: Reading): ReadContent | undefined {
  const { type, user, item_user: author } = event;
  if (type !== 'reaction_added' && type !== 'reaction_removed') return undefined;
  const [, name = '', tone = ''] = thumb.exec(textOf(event.reaction)) ?? [];
  if (name === '') return { ignored: 'another reaction' };
  const { channel, ts } = record(event.item) ?? {};
  if (!isPerson(user) || !isChannel(channel) || !isTimestamp(ts)) return { ignored: 'unreadable reaction' };
  if (user === bot.botUserId) return { ignored: 'own reaction' };
  // The platform leaves the author of some messages out.
  if (isPerson(author) && author !== bot.botUserId) return { ignored: 'reaction to another message' };
  const emoji = aliases[name] ?? name;
  return {
    rating: {
      platformChatId: channel,
      platformUserId: user,
      platformMessageId: ts,
      rating: type === 'reaction_removed' ? null : emoji === '+1' ? 'up' : 'down',
      reaction: `${emoji}${tone}`,
      ratedAt: momentOf(isTimestamp(event.event_ts) ? event.event_ts : String(seconds)),
    },
  };
}
