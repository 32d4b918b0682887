import type { KeyAttempt } from '@botyard/contracts/http/context-traces';
import type { TokenUse } from '../clients/wire.ts';

/** The keys that a turn has tried, over all its steps. */
export class KeyTrail {
  /** Keys that the provider refused or limits. */
  readonly failed: string[] = [];
  readonly #attempts = new Map<string, KeyAttempt>();

  /** The key of the last call, including the current one. */
  latest: Pick<KeyAttempt, 'keyId' | 'source'> | undefined;
  /** The largest possible cost of the call during which the person asked to stop. */
  unheard: TokenUse | undefined;
  #freeAt: number | undefined;

  /** Records that a resting key is free again then. */
  restsFor(ms: number): void {
    this.#freeAt = Math.min(this.#freeAt ?? Number.POSITIVE_INFINITY, performance.now() + ms);
  }

  /** Time until the first resting key is free again; `undefined` if none rests. */
  get freeInMs(): number | undefined {
    return this.#freeAt && Math.max(0, this.#freeAt - performance.now());
  }

  get hasAnswer(): boolean {
    return this.attempts.some(({ outcome }) => outcome === 'answered');
  }

  /** A key used again, in a later step, stays one attempt: its last outcome counts, and all its time. */
  note({ keyId, source, outcome, durationMs }: KeyAttempt): void {
    const name = keyId ?? source;
    const before = this.#attempts.get(name)?.durationMs ?? 0;
    this.#attempts.delete(name);
    this.#attempts.set(name, { keyId, source, outcome, durationMs: Math.round(before + durationMs) });
  }

  /** The key didn't fail for good. */
  forget(keyId: string | null): void {
    const place = this.failed.indexOf(keyId ?? '');
    if (place >= 0) this.failed.splice(place, 1);
  }

  /** In the order of their last use. */
  get attempts(): KeyAttempt[] {
    return [...this.#attempts.values()];
  }
}
