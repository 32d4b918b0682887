import type { Pace, Paces } from '../../platforms/domain/paces.ts';
import type { BotPace } from '../store/chats.ts';

/** The time to wait when the theoretical arrival time is this far ahead; 0 if a message may be sent now. */
export const waitMs = (pace: Pace, aheadMs: number): number =>
  Math.max(0, Math.ceil(aheadMs - (pace.burst - 1) * pace.intervalMs));

/** A chat's turn: its wait, and whether that books a slot in its bot's pace. */
interface Turn {
  waitMs: number;
  isBooked: boolean;
}

/**
 * Lets a chat send now, or returns its wait. Either changes the pace of its bot.
 *
 * Chats that a bot's pace delays form a queue: each books the next slot once, and is tried again when that slot is due.
 * Thousands of them therefore cost two checks each, instead of one every few ms. Later chats queue behind them.
 */
export function takeTurn(
  paces: Paces,
  bot: BotPace,
  { platformChatId, aheadMs, isBooked }: { platformChatId: string; aheadMs: number; isBooked: boolean },
): Turn {
  const { intervalMs } = paces.bot;
  const chatPace = { intervalMs: paces.chatIntervalMs(platformChatId), burst: paces.chatBurst };
  const chatWaitMs = waitMs(chatPace, aheadMs);
  if (chatWaitMs > 0) return { waitMs: chatWaitMs, isBooked: false };
  const botWaitMs = waitMs(paces.bot, bot.aheadMs);
  if (botWaitMs === 0 && (isBooked || bot.bookedMs === 0)) {
    bot.aheadMs += intervalMs;
    bot.addedMs += intervalMs;
    return { waitMs: 0, isBooked: false };
  }
  if (isBooked) return { waitMs: botWaitMs, isBooked };
  const slotMs = Math.ceil(Math.max(botWaitMs, bot.bookedMs));
  bot.bookedMs = slotMs + intervalMs;
  bot.hasBooked = true;
  return { waitMs: slotMs, isBooked: true };
}
