import type { Log } from '@botyard/shared/log/log';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

export interface SessionKeysOptions {
  url: string;
  log: Log;
  now: () => number;
  refreshAfterMs?: number;
  retryAfterMs?: number;
  timeoutMs?: number;
}

/** How long keys that can't be refreshed stay good. */
const staleForMs = 60 * 60_000;
/** With no usable keys a request may fetch them, but not more often than this. */
const neededKeysCooldownMs = 1000;
/** An unknown `kid` makes at most one fetch in this time, whether it succeeds or not. */
const unknownKidCooldownMs = 30_000;

/**
 * The identity provider's keys (reliability, rule 13). jose's own remote set counts its cooldown from the last
 * *successful* fetch and refuses every token once its cache is too old, so with the provider down each
 * unknown `kid` would wait for a fetch, and known keys would end; hence this.
 */
export class SessionKeys {
  readonly #options: Required<SessionKeysOptions>;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #soughtKidAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: SessionKeysOptions) {
    this.#options = { refreshAfterMs: 5 * 60_000, retryAfterMs: 5000, timeoutMs: 3000, ...options };
  }

  /** Fetches now and then again and again, in the background; nothing waits for it. */
  start(): void {
    void this.#refresh();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** For `jwtVerify`. @throws when the key isn't known or no usable keys are there. */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    if (!this.#areUsable()) await this.#fetchUnlessJustFailed();
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#seekUnknownKid())) throw error;
      return this.#find(header, token);
    }
  };

  #find(...asked: Parameters<JWTVerifyGetKey>): ReturnType<JWTVerifyGetKey> {
    if (!this.#keys || !this.#areUsable()) throw new Error('no keys of the identity provider are known');
    return this.#keys(...asked);
  }

  #areUsable(): boolean {
    return this.#options.now() - this.#fetchedAt < this.#options.refreshAfterMs + staleForMs;
  }

  async #fetchUnlessJustFailed(): Promise<void> {
    const isDue = this.#options.now() - this.#failedAt >= neededKeysCooldownMs;
    if (this.#fetching || isDue) await this.#fetch();
  }

  /** Resolves with whether keys came. */
  async #seekUnknownKid(): Promise<boolean> {
    const { now } = this.#options;
    if (!this.#fetching) {
      if (now() - this.#soughtKidAt < unknownKidCooldownMs) return false;
      this.#soughtKidAt = now();
    }
    return this.#fetch();
  }

  async #refresh(): Promise<void> {
    const { refreshAfterMs, retryAfterMs } = this.#options;
    const isFetched = await this.#fetch();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#refresh(), isFetched ? refreshAfterMs : retryAfterMs).unref();
  }

  /** One at a time, never rejects; tells whether keys came. */
  #fetch(): Promise<boolean> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<boolean> {
    const { url, now, log, timeoutMs } = this.#options;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, {
        signal,
        redirect: 'error',
        headers: { accept: 'application/json' },
      });
      if (response.status !== 200) throw new Error(`the key set answered ${response.status}`);
      this.#keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
      this.#fetchedAt = now();
      return true;
    } catch (error) {
      this.#failedAt = now();
      log.warn({ err: error }, 'the keys of the identity provider could not be fetched');
      return false;
    }
  }
}
