import type { ChatPlace } from '@botyard/contracts/events/webhooks';

/**
 * Pace of sending (decisions 6: P0 5), as a generic cell rate algorithm: a message moves the theoretical time on by
 * `intervalMs`, and may go while that time is at most `burst - 1` intervals ahead.
 */
export interface Pace {
  intervalMs: number;
  burst: number;
}

export const chatBurst = 3;
/** One a second on average, at most 3 at once. */
const privateChat: Pace = { intervalMs: 1000, burst: chatBurst };
/** 17 a minute and 3 at once: never more than 20 in any minute. */
const group: Pace = { intervalMs: 60_000 / 17, burst: chatBurst };
/** 25 a second and 5 at once: never more than 30 in any second. */
export const botPace: Pace = { intervalMs: 1000 / 25, burst: 5 };

/** The platform's ids of groups and channels are negative. */
export const paceOfChat = (platformChatId: ChatPlace['platformChatId']): Pace =>
  platformChatId.startsWith('-') ? group : privateChat;

/** For how long to wait, when the theoretical time is this far ahead; 0 when a message may go now. */
export function waitMs(pace: Pace, aheadMs: number): number {
  return Math.max(0, Math.ceil(aheadMs - (pace.burst - 1) * pace.intervalMs));
}

/** What a bot's pace says to a chat: when, and whether that is a place in the bot's line. */
export interface BotTurn {
  waitMs: number;
  isBooked: boolean;
}

/**
 * Chats that a bot's pace holds back stand in line: each is given the next place once, and comes when it is there. So
 * thousands of them cost two looks each, and not one every few ms; who comes later gets in line behind them.
 */
export function botTurn(
  bot: { aheadMs: number; bookedMs: number },
  { isBooked }: { isBooked: boolean },
): BotTurn {
  const free = waitMs(botPace, bot.aheadMs);
  if (isBooked || (free === 0 && bot.bookedMs === 0)) return { waitMs: free, isBooked: isBooked && free > 0 };
  return { waitMs: Math.ceil(Math.max(free, bot.bookedMs)), isBooked: true };
}
