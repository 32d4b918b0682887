import { z } from 'zod';
import { latestSecond, loose } from '../../domain/fields.ts';
import { ratingOfEmoji } from '../../domain/rating-of-emoji.ts';
import type { ReadRating } from '../../domain/read-delivery.ts';
import { Chat, first } from './update.ts';

/** More than a person may set. */
const maxReactions = 20;

const MessageReaction = z.object({
  chat: Chat,
  message_id: z.number().int(),
  user: loose(z.object({ id: z.number().int() })),
  date: z.number().int().nonnegative().max(latestSecond),
  new_reaction: first(maxReactions, z.object({ type: z.string(), emoji: loose(z.string()) })),
});

/** Reads `message_reaction`: all reactions that a person has to a message now. Only those in private chats rate it. */
export function readReaction(raw: unknown): { rating: ReadRating } | { ignored: string } {
  const { success, data } = MessageReaction.safeParse(raw);
  if (!success) return { ignored: 'unreadable message_reaction' };
  const { chat, message_id: messageId, user, date, new_reaction: reactions } = data;
  if (chat.type !== 'private' || user?.id !== chat.id) return { ignored: 'message_reaction' };
  const ratings = (reactions ?? []).map(({ emoji }) => ratingOfEmoji(emoji ?? ''));
  return {
    rating: {
      platformChatId: String(chat.id),
      platformMessageId: String(messageId),
      rating: ratings.find((one) => one !== null) ?? null,
      ratedAt: new Date(date * 1000).toISOString(),
    },
  };
}
