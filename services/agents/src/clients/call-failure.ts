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

/** Statuses that are about the key, or what may be asked with it: another key may do better. */
const aboutTheKey: Readonly<Record<number, ModelFailure>> = {
  401: 'key refused',
  402: 'rate limited',
  403: 'key refused',
  429: 'rate limited',
};

/**
 * A `fetch` that follows no redirect, since a key goes to the address that it was stored for, and that takes what is
 * about the key out of the SDK's hands: that one would try the same key again. @throws ModelError.
 */
export const fetchWith =
  (apiKey: Secret | null): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    const failure = aboutTheKey[response.status];
    if (!failure) return response;
    throw new ModelError(failure, {
      status: response.status,
      retryAfterMs: retryAfterMs(response.headers),
      cause: loggable(await response.text(), apiKey),
    });
  };

const longestMs = 24 * 3600_000;

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const [ms, after] = [headers.get('retry-after-ms'), headers.get('retry-after')];
  const seconds = Number(after || Number.NaN);
  const asked = ms
    ? Number(ms)
    : Number.isNaN(seconds)
      ? Date.parse(after ?? '') - Date.now()
      : seconds * 1000;
  return Number.isNaN(asked) ? undefined : Math.round(Math.min(Math.max(asked, 0), longestMs));
}
