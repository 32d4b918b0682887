import type { KeyAttempt } from '@botyard/contracts/http/context-traces';
import type { TokenUse } from '../clients/wire.ts';

/** The keys that a turn has tried, across all its steps. */
export class KeyTrail {
  /** Keys that the provider refused or limits. */
  readonly failed: string[] = [];
  readonly #attempts = new Map<string, KeyAttempt>();

  /** The key of the last call, which may still be running. */
  latest: Pick<KeyAttempt, 'keyId' | 'source'> | undefined;
  /** The largest possible cost of the call that was running when the person stopped the turn. */
  unheard: TokenUse | undefined;
  /** The provider's own reason for the last refusal of a request. */
  refusal: string | undefined;
  /** The model's window, if a refusal named it. */
  contextTokens: number | undefined;
  #freeAt: number | undefined;

  /** Records that a paused key is available again in `ms`. */
  restsFor(ms: number): void {
    this.#freeAt = Math.min(this.#freeAt ?? Number.POSITIVE_INFINITY, performance.now() + ms);
  }

  /** Time in ms until the first paused key is available; `undefined` if none is paused. */
  get freeInMs(): number | undefined {
    return this.#freeAt && Math.max(0, this.#freeAt - performance.now());
  }

  get hasAnswer(): boolean {
    return this.attempts.some(({ outcome }) => outcome === 'answered');
  }

  /** A key that is used again in a later step stays one attempt, with its last outcome and its total time. */
  note({ keyId, source, outcome, durationMs }: KeyAttempt): void {
    const name = keyId ?? source;
    const before = this.#attempts.get(name)?.durationMs ?? 0;
    this.#attempts.delete(name);
    this.#attempts.set(name, { keyId, source, outcome, durationMs: Math.round(before + durationMs) });
  }

  /** Removes a key from the failed ones, since it has recovered. */
  forget(keyId: string | null): void {
    const place = this.failed.indexOf(keyId ?? '');
    if (place >= 0) this.failed.splice(place, 1);
  }

  /** The attempts in the order of their last use. */
  get attempts(): KeyAttempt[] {
    return [...this.#attempts.values()];
  }
}
