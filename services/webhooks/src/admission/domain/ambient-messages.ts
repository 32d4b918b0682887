import { LRUCache } from 'lru-cache';

/** The platform's limit on a bot's messages a minute in a group. Further answers would arrive too late. */
const perMinute = 20;
const minuteMs = 60_000;
const maxGroups = 10_000;

/**
 * Limits the messages that are not addressed to a bot, in groups where it answers everything: 20 a minute for each
 * group, in this process. A flood therefore costs no model calls and fills no queue. Addressed messages always pass.
 */
export class AmbientMessages {
  /** Theoretical arrival times (generic cell rate algorithm). */
  readonly #takenUntil = new LRUCache<string, number>({ max: maxGroups });

  admits(botId: string, chatKey: string, nowMs = performance.now()): boolean {
    const key = `${botId}/${chatKey}`;
    const until = Math.max(this.#takenUntil.get(key) ?? 0, nowMs) + minuteMs / perMinute;
    if (until - nowMs > minuteMs) return false;
    this.#takenUntil.set(key, until);
    return true;
  }
}
