import type { Pace } from '../../platforms/platform.ts';

/** The time to wait when the theoretical arrival time is this far ahead; 0 if a message may be sent now. */
export function waitMs(pace: Pace, aheadMs: number): number {
  return Math.max(0, Math.ceil(aheadMs - (pace.burst - 1) * pace.intervalMs));
}

/** A chat's turn under the bot's pace: its wait, and whether that books a place in the bot's queue. */
interface BotTurn {
  waitMs: number;
  isBooked: boolean;
}

/**
 * Chats that a bot's pace delays form a queue: each books the next place once, and is tried again when that place is
 * due. Thousands of them therefore cost two checks each, instead of one every few ms. Later chats queue behind them.
 */
export function botTurn(
  pace: Pace,
  bot: { aheadMs: number; bookedMs: number },
  { isBooked }: { isBooked: boolean },
): BotTurn {
  const free = waitMs(pace, bot.aheadMs);
  if (isBooked || (free === 0 && bot.bookedMs === 0)) return { waitMs: free, isBooked: isBooked && free > 0 };
  return { waitMs: Math.ceil(Math.max(free, bot.bookedMs)), isBooked: true };
}
