import type { KeyAttempt } from '@botyard/contracts/http/context-traces';
import type { TokenUse } from '../clients/wire.ts';

/** The keys that a turn was tried with, over all its steps. */
export class KeyTrail {
  /** Those that the provider refused or limits. */
  readonly failed: string[] = [];
  readonly #attempts = new Map<string, KeyAttempt>();

  /** The key that was asked with last, also while it is being asked. */
  latest: Pick<KeyAttempt, 'keyId' | 'source'> | undefined;
  /** What the call may have cost in which the person asked to stop. */
  unheard: TokenUse | undefined;
  #freeAt: number | undefined;

  /** Something that only rests can be asked again then. */
  restsFor(ms: number): void {
    this.#freeAt = Math.min(this.#freeAt ?? Number.POSITIVE_INFINITY, performance.now() + ms);
  }

  /** When the first of what rests can be asked again; `undefined` when nothing rests. */
  get freeInMs(): number | undefined {
    return this.#freeAt && Math.max(0, this.#freeAt - performance.now());
  }

  get hasAnswer(): boolean {
    return this.attempts.some(({ outcome }) => outcome === 'answered');
  }

  /** A key that is asked with again, in a later step, stays one attempt: its last outcome counts, and all its time. */
  note({ keyId, source, outcome, durationMs }: KeyAttempt): void {
    const name = keyId ?? source;
    const before = this.#attempts.get(name)?.durationMs ?? 0;
    this.#attempts.delete(name);
    this.#attempts.set(name, { keyId, source, outcome, durationMs: Math.round(before + durationMs) });
  }

  /** It didn't fail for good. */
  forget(keyId: string | null): void {
    const place = this.failed.indexOf(keyId ?? '');
    if (place >= 0) this.failed.splice(place, 1);
  }

  /** In the order in which they were asked with last. */
  get attempts(): KeyAttempt[] {
    return [...this.#attempts.values()];
  }
}
