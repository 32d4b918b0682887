import type { Secret } from '@botyard/shared/secrets/secret';

/** Why a provider gave no answer; what the person is told follows from it alone. */
export type ModelFailure =
  | 'timeout'
  | 'key refused'
  | 'rate limited'
  | 'refused'
  | 'unavailable'
  | 'empty answer';

export interface ModelErrorOptions {
  cause?: unknown;
  /** The provider's status, where the failure is about the key. */
  status?: number;
  /** How long the provider asked to wait. */
  retryAfterMs?: number | undefined;
}

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: ModelFailure, { cause, status, retryAfterMs }: ModelErrorOptions = {}) {
    super(`the model call failed: ${failure}`, { cause });
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What the log may keep of a provider's words: some repeat the key that they refuse. */
export function loggable(text: string, apiKey: Secret | null): Error {
  return new Error((apiKey ? text.replaceAll(apiKey.reveal(), '[secret]') : text).slice(0, 1000));
}
