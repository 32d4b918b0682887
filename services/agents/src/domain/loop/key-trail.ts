import type { KeyAttempt } from '@botyard/shared/contracts/context-traces';

/** The keys that a turn was tried with, over all its steps. */
export class KeyTrail {
  /** Those that the provider refused or limits. */
  readonly failed: string[] = [];
  readonly #attempts = new Map<string, KeyAttempt>();

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
