/** The platform's limits: one message in six seconds to a person, with a burst that is lent, and a number's own. */
import { GraphError } from './types.ts';

export type PaceRules = { pairIntervalMs: number; pairBurst: number; perSecond: number };

export const realPace: PaceRules = { pairIntervalMs: 6000, pairBurst: 45, perSecond: 80 };

export class Paces {
  readonly #rules: PaceRules;
  readonly #pairs = new Map<string, number>();
  readonly #seconds = new Map<string, { second: number; count: number }>();

  constructor(rules: PaceRules) {
    this.#rules = rules;
  }

  /** @throws GraphError 131056 for a person, 130429 for a number. */
  take(phoneNumberId: string, phone: string): void {
    const { pairIntervalMs, pairBurst, perSecond } = this.#rules;
    const now = Date.now();
    const second = Math.floor(now / 1000);
    const last = this.#seconds.get(phoneNumberId);
    const count = last?.second === second ? last.count + 1 : 1;
    if (count > perSecond) throw new GraphError(130429, 'Rate limit hit', { status: 429 });
    const pair = `${phoneNumberId}/${phone}`;
    const freeAt = Math.max(this.#pairs.get(pair) ?? 0, now);
    if (freeAt > now + pairIntervalMs * (pairBurst - 1))
      throw new GraphError(131056, '(Business Account, Consumer Account) pair rate limit hit');
    this.#seconds.set(phoneNumberId, { second, count });
    this.#pairs.set(pair, freeAt + pairIntervalMs);
  }
}
