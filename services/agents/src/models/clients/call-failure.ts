import type { Secret } from '@botyard/shared/secrets/secret';

/** The reason why a provider did not answer. It alone determines the message to the person. */
export type ModelFailure =
  | 'timeout'
  | 'key refused'
  /** The key may not use this model, or the model doesn't exist. */
  | 'model refused'
  | 'rate limited'
  /** Something about the request that is nobody's message: its parameters or its form. */
  | 'refused'
  /** The question, or something before it. */
  | 'content refused'
  /** The request is longer than the model's window. */
  | 'too long'
  | 'unavailable'
  /** The answer was too long, or unreadable. */
  | 'unusable answer'
  | 'empty answer';

interface ModelErrorOptions {
  cause?: unknown;
  /** The provider's status, if the failure is about the key. */
  status?: number;
  /** The wait that the provider requested or, while its circuit is open, the time until the next probe. */
  retryAfterMs?: number | undefined;
  /** The call used a key. */
  hadKey?: boolean;
  /** The provider's own reason for refusing the request, masked and bounded. */
  reason?: string | undefined;
  /** The model's window, if a request was too long for it and the provider named it. */
  contextTokens?: number | undefined;
}

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly hadKey: boolean;
  readonly reason: string | undefined;
  readonly contextTokens: number | undefined;

  constructor(
    failure: ModelFailure,
    { cause, status, retryAfterMs, hadKey = false, reason, contextTokens }: ModelErrorOptions = {},
  ) {
    super(`the model call failed: ${failure}`, { cause });
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.hadKey = hadKey;
    this.reason = reason;
    this.contextTokens = contextTokens;
  }

  /** Whether the circuit was open, or this machine couldn't make the call. */
  get wasNotAsked(): boolean {
    return this.status === undefined && this.retryAfterMs !== undefined;
  }
}

/** A provider's error text in a form that is safe to log: some providers repeat the refused key. */
export function loggable(text: string, apiKey: Secret | null): Error {
  return new Error((apiKey ? text.replaceAll(apiKey.reveal(), '[secret]') : text).slice(0, 1000));
}
