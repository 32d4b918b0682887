import { inspect } from 'node:util';

/** A secret that can't be printed by accident: every conversion to text gives `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The plain value. Call it only where the value is used, and don't store the result. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** Shows at most the last 4 characters, and nothing of a short secret (REQ-KEY-1). */
export function mask(secret: string): string {
  return secret.length < 12 ? '…' : `…${secret.slice(-4)}`;
}
