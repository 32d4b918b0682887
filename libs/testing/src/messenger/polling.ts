/**
 * getUpdates: waiting updates are returned again until a later offset confirms them. A newer request ends the previous
 * one.
 */
import type { Deliveries } from './delivery.ts';
import { type Bot, PlatformError, type Update } from './types.ts';
import { wantedKinds } from './webhook.ts';

interface Waiter {
  arrived: () => void;
  end: (why: string) => void;
}

const maxUpdates = 100;
const maxWaitSeconds = 50;
/** A bot without a request for this long is no longer connected. */
const connectedForMs = 30_000;

export class Polls {
  readonly #deliveries: Deliveries;
  readonly #waiters = new Map<number, Waiter>();
  readonly #askedAt = new Map<number, number>();

  constructor(deliveries: Deliveries) {
    this.#deliveries = deliveries;
  }

  async getUpdates(bot: Bot, params: Record<string, unknown>): Promise<Update[]> {
    if (bot.webhook !== undefined) {
      const advice = 'use deleteWebhook to delete the webhook first';
      throw conflict(`can't use getUpdates method while webhook is active; ${advice}`);
    }
    const advice = 'make sure that only one bot instance is running';
    this.end(bot, `terminated by other getUpdates request; ${advice}`);
    this.#askedAt.set(bot.id, Date.now());
    if (params.allowed_updates !== undefined) bot.allowedUpdates = wantedKinds(params.allowed_updates);
    const limit = Math.min(maxUpdates, Math.max(1, Number(params.limit ?? maxUpdates) || maxUpdates));
    const waitMs = Math.min(maxWaitSeconds, Number(params.timeout ?? 0) || 0) * 1000;
    this.#confirm(bot, Number(params.offset ?? 0) || 0);
    const waiting = this.#waiting(bot).slice(0, limit);
    if (waiting.length > 0 || waitMs <= 0) return waiting;
    await this.#arrival(bot, waitMs);
    return this.#waiting(bot).slice(0, limit);
  }

  /** Whether a program polls for the bot's updates. */
  isAsked(bot: Bot): boolean {
    const sinceMs = Date.now() - (this.#askedAt.get(bot.id) ?? 0);
    return this.#waiters.has(bot.id) || sinceMs < connectedForMs;
  }

  /** Called when an update waits. */
  arrived(bot: Bot): void {
    this.#waiters.get(bot.id)?.arrived();
  }

  end(bot: Bot, why: string): void {
    this.#waiters.get(bot.id)?.end(why);
  }

  close(): void {
    for (const { arrived } of this.#waiters.values()) arrived();
  }

  /** A negative offset drops all but this many of the last updates. */
  #confirm(bot: Bot, offset: number): void {
    const first = offset < 0 ? this.#waiting(bot).at(offset)?.update_id : offset;
    if (first !== undefined) this.#deliveries.confirm(bot, first);
  }

  #waiting(bot: Bot): Update[] {
    const waiting = this.#deliveries.pending(bot).map(({ update }) => update);
    return waiting.sort((one, other) => one.update_id - other.update_id);
  }

  async #arrival(bot: Bot, waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { arrived: resolve, end: (why: string) => reject(conflict(why)) };
    this.#waiters.set(bot.id, waiter);
    const timer = setTimeout(resolve, waitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      if (this.#waiters.get(bot.id) === waiter) this.#waiters.delete(bot.id);
    }
  }
}

const conflict = (why: string) => new PlatformError(409, `Conflict: ${why}`);
