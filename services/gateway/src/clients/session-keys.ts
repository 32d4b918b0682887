import { readBoundedJson } from '@botyard/shared/http/bounded-body';
import type { Log } from '@botyard/shared/log/log';
import type { Problems } from '@botyard/shared/system/problems';
import { errors, type JWTVerifyGetKey } from 'jose';
import { readKeySet, SigningKeys } from './key-set.ts';
import { clockProblem } from './provider-clock.ts';

export interface SessionKeysOptions {
  url: string;
  log: Log;
  now: () => number;
  problems?: Pick<Problems, 'note' | 'clear'>;
  /** The setting that the address comes from. */
  setting?: 'IDP_JWKS_URL' | 'IDP_ISSUER';
  refreshAfterMs?: number;
  retryAfterMs?: number;
  /** The time until the keys are fetched again while a key is missing that existed before. */
  recheckAfterMs?: number;
  timeoutMs?: number;
}

/** How long keys that can't be refreshed stay valid. */
const staleForMs = 60 * 60_000;
/** Without usable keys a request may fetch them, but not more often than this. */
const neededKeysCooldownMs = 1000;
/** An unknown `kid` causes at most one fetch in this time, whether it succeeds or not. */
const unknownKidCooldownMs = 30_000;
const maxSetBytes = 256 * 1024;

/**
 * The identity provider's keys (REQ-REL-13 and REQ-REL-25). An answer without a usable key changes nothing. jose's own
 * remote set counts its cooldown from the last *successful* fetch and refuses every token once its cache is too old.
 * While the provider is down, each unknown `kid` would wait for a fetch, and known keys would expire; hence this class.
 */
export class SessionKeys {
  readonly #options: Required<Omit<SessionKeysOptions, 'problems'>> & Pick<SessionKeysOptions, 'problems'>;
  readonly #keys: SigningKeys;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #soughtKidAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #failures = 0;
  #lastReason = '';

  constructor(options: SessionKeysOptions) {
    const setting = 'IDP_JWKS_URL';
    const times = { refreshAfterMs: 5 * 60_000, retryAfterMs: 5000, recheckAfterMs: 30_000, timeoutMs: 3000 };
    this.#options = { ...times, setting, ...options };
    this.#keys = new SigningKeys(this.#options.now);
  }

  /** Fetches now and then periodically, in the background; nothing waits for it. */
  start(): void {
    this.#isRunning = true;
    void this.#fetch();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  /** For `jwtVerify`. @throws when the key isn't known or there are no usable keys. */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    if (!this.#areUsable()) await this.#fetchUnlessJustFailed();
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#seekUnknownKid())) throw error;
      return this.#find(header, token);
    }
  };

  #find(...headerAndToken: Parameters<JWTVerifyGetKey>): ReturnType<JWTVerifyGetKey> {
    if (!this.#areUsable()) throw new Error('no keys of the identity provider are known');
    return this.#keys.get(...headerAndToken);
  }

  #areUsable(): boolean {
    return this.#options.now() - this.#fetchedAt < this.#options.refreshAfterMs + staleForMs;
  }

  async #fetchUnlessJustFailed(): Promise<void> {
    const isDue = this.#options.now() - this.#failedAt >= neededKeysCooldownMs;
    if (this.#fetching || isDue) await this.#fetch();
  }

  /** Resolves with whether keys were received. */
  async #seekUnknownKid(): Promise<boolean> {
    const { now } = this.#options;
    if (!this.#fetching) {
      if (now() - this.#soughtKidAt < unknownKidCooldownMs) return false;
      this.#soughtKidAt = now();
    }
    return this.#fetch();
  }

  /** Scheduled after the last fetch of any kind. */
  #fetchLater(isFetched: boolean): void {
    clearTimeout(this.#timer);
    if (!this.#isRunning) return;
    const { refreshAfterMs, retryAfterMs, recheckAfterMs } = this.#options;
    const usualMs = this.#keys.hasMissing ? Math.min(recheckAfterMs, refreshAfterMs) : refreshAfterMs;
    this.#timer = setTimeout(() => void this.#fetch(), isFetched ? usualMs : retryAfterMs).unref();
  }

  /** Runs one fetch at a time and never rejects. Resolves with whether keys were received. */
  #fetch(): Promise<boolean> {
    this.#fetching ??= this.#fetchNow().then((isFetched) => {
      this.#fetching = undefined;
      this.#fetchLater(isFetched);
      return isFetched;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<boolean> {
    const { url, now, timeoutMs, problems } = this.#options;
    const askedAt = now();
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const headers = { accept: 'application/json' };
      const response = await fetch(url, { signal, redirect: 'error', headers });
      const clock = clockProblem(response.headers, { askedAt, answeredAt: now() });
      if (clock) problems?.note(clock);
      else problems?.clear('clock', 'provider');
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`the key set answered ${response.status}`);
      }
      this.#keys.replace(await readKeySet(await readBoundedJson(response, maxSetBytes)));
      this.#fetchedAt = now();
      this.#noteSuccess();
      return true;
    } catch (error) {
      this.#failedAt = now();
      this.#noteFailure(error);
      return false;
    }
  }

  /** Logs one line per cause, because the fetch is retried every few seconds. */
  #noteFailure(error: unknown): void {
    this.#failures += 1;
    const reason = String(error);
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    const { log, problems, setting, url } = this.#options;
    problems?.note({ setting, cause: 'fetch', problem: fetchProblem(url, error) });
    log.warn({ err: error, failures: this.#failures }, 'could not fetch the keys of the identity provider');
  }

  #noteSuccess(): void {
    this.#options.problems?.clear(this.#options.setting, 'fetch');
    if (this.#failures > 0)
      this.#options.log.info(
        { failures: this.#failures },
        'the keys of the identity provider are fetched again',
      );
    this.#failures = 0;
    this.#lastReason = '';
  }
}

/** Names the address and the reason, and what usually is the matter. */
function fetchProblem(url: string, error: unknown): string {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return (
    `the key set at ${url} can't be read, so no token is accepted (${reason}). The address is IDP_JWKS_URL, by default ` +
    'IDP_ISSUER with /.well-known/jwks.json: check its scheme, host, port and path'
  );
}
