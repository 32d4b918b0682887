import type { Secret } from '@botyard/shared/secrets/secret';

/** Why a provider gave no answer; what the person is told follows from it alone. */
export type ModelFailure =
  | 'timeout'
  | 'key refused'
  /** The key may not use this model, or there is no such model. */
  | 'model refused'
  | 'rate limited'
  | 'refused'
  | 'unavailable'
  /** Longer than any answer is, or of no shape that can be read. */
  | 'unusable answer'
  | 'empty answer';

export interface ModelErrorOptions {
  cause?: unknown;
  /** The provider's status, where the failure is about the key. */
  status?: number;
  /** How long the provider asked to wait; while it is spared: until it is asked again. */
  retryAfterMs?: number | undefined;
  /** The call showed a key. */
  hadKey?: boolean;
}

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly hadKey: boolean;

  constructor(
    failure: ModelFailure,
    { cause, status, retryAfterMs, hadKey = false }: ModelErrorOptions = {},
  ) {
    super(`the model call failed: ${failure}`, { cause });
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.hadKey = hadKey;
  }

  /** The provider was spared, or could not be asked for a reason of this machine's. */
  get wasNotAsked(): boolean {
    return this.status === undefined && this.retryAfterMs !== undefined;
  }
}

/** What the log may keep of a provider's words: some repeat the key that they refuse. */
export function loggable(text: string, apiKey: Secret | null): Error {
  return new Error((apiKey ? text.replaceAll(apiKey.reveal(), '[secret]') : text).slice(0, 1000));
}
