import { LRUCache } from 'lru-cache';

/** The platform lets a bot send this many messages a minute in a group. More answers would come too late. */
const perMinute = 20;
const minuteMs = 60_000;
const maxGroups = 10_000;

/**
 * How much a bot takes in, in a group where it answers everything, of what isn't addressed to it: 20 messages a minute,
 * in this process. A flood costs no model and fills no queue; what is addressed to the bot is always taken.
 */
export class AmbientMessages {
  /** Theoretical arrival times (generic cell rate algorithm). */
  readonly #takenUntil = new LRUCache<string, number>({ max: maxGroups });

  admits(botId: string, platformChatId: string, nowMs = performance.now()): boolean {
    const key = `${botId}/${platformChatId}`;
    const until = Math.max(this.#takenUntil.get(key) ?? 0, nowMs) + minuteMs / perMinute;
    if (until - nowMs > minuteMs) return false;
    this.#takenUntil.set(key, until);
    return true;
  }
}
