/**
 * The pace of sending (REQ-CHAT-5), as a generic cell rate algorithm: a message advances the theoretical time by
 * `intervalMs`, and may be sent while that time is at most `burst - 1` intervals ahead.
 */
export interface Pace {
  intervalMs: number;
  burst: number;
}

/** How often a platform accepts messages from a bot, in total and in each chat. */
export interface Paces {
  bot: Pace;
  chatBurst: number;
  chatIntervalMs(platformChatId: string): number;
}
