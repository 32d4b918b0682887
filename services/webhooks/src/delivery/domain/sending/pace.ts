import type { Pace } from '../../../platforms/platform.ts';

/** For how long to wait, when the theoretical time is this far ahead; 0 when a message may go now. */
export function waitMs(pace: Pace, aheadMs: number): number {
  return Math.max(0, Math.ceil(aheadMs - (pace.burst - 1) * pace.intervalMs));
}

/** A chat's turn by the bot's pace: when, and whether that books a place in its queue. */
interface BotTurn {
  waitMs: number;
  isBooked: boolean;
}

/**
 * Chats that a bot's pace holds back stand in line: each is given the next place once, and comes when it is there. So
 * thousands of them cost two looks each, and not one every few ms; who comes later gets in line behind them.
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
