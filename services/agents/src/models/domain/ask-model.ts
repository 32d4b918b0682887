import { setTimeout as pause } from 'node:timers/promises';
import type { ResolvedKey, WantedKey } from '../../clients/keys.ts';
import { ModelError } from '../clients/call-failure.ts';
import { boundOfUnheard, type ModelAnswer, type ModelCall, type TokenUse } from '../clients/wire.ts';
import type { Deps } from '../deps.ts';
import type { Cause } from './cause.ts';
import { GivenUp } from './given-up.ts';
import type { KeyTrail } from './key-trail.ts';
import type { Reserve } from './quota.ts';
import { type KeyInUse, reportKey } from './report-key.ts';

export type ModelQuestion = Omit<ModelCall, 'tenantId' | 'provider' | 'apiKey' | 'keyHost' | 'isPlatformKey'>;

/** The result of a question, and the last key that was used, which is the one that answered, if any did. */
export type ModelOutcome = { key: Pick<ResolvedKey, 'keyId' | 'source'> } & (
  | { answer: ModelAnswer }
  /**
   * `unheard`: the largest possible cost of an aborted call on the platform's key. `freeInMs`: no key can answer now,
   * but a paused one is available again after this time.
   */
  | { failure: Cause; unheard?: TokenUse; freeInMs?: number | undefined }
);

/**
 * The cost of an aborted call on a tenant's own key concerns only the tenant and the provider. On the platform's key
 * its largest possible cost is counted: otherwise calls that are stopped in time would be free.
 */
const unheardOn = ({ source }: Pick<ResolvedKey, 'source'>, question: ModelQuestion): TokenUse | undefined =>
  source === 'platform' ? boundOfUnheard(question) : undefined;

/** The most keys that one turn tries. */
const maxKeys = 5;
/** Retries of the last key when the provider limits it, and the wait before each. */
const maxWaits = 2;
const firstWaitMs = 500;
/** For a longer wait the turn is postponed and releases its slot, unless an earlier step was answered. */
const longestWaitMs = 1000;
const longestWaitAfterAnswerMs = 30_000;
/** The pause of a limited key whose provider gives no time. */
const usualRestMs = 5000;

/** A question, the tenant that asks it, and the keys that the turn has tried so far. */
interface Asking {
  wanted: WantedKey;
  /** Called before a key is used, so that no call is unmetered. */
  reserve: Reserve;
  question: ModelQuestion;
  trail: KeyTrail;
}

interface Failed {
  key: KeyInUse;
  error: ModelError;
}

/**
 * Asks the model with the tenant's keys in their order (REQ-CHAT-14). A key that the provider refuses (401), limits
 * (402, 429) or refuses for the model (403, 404) is reported, and the next one is tried, within the signal's deadline.
 * Any other fault ends the question. The trail belongs to the turn: keys that failed in an earlier step aren't tried
 * again. @throws HttpError 503 when the keys or usage service doesn't answer; the signal's own reason when that isn't
 * its deadline.
 */
export async function askModel(deps: Deps, asking: Asking): Promise<ModelOutcome> {
  const { wanted, trail } = asking;
  let failed: Failed | undefined;
  while (trail.failed.length < maxKeys) {
    const key = await nextKey(deps, asking);
    if ('failure' in key) return failed ? await settle(deps, asking, failed) : key;
    if (failed && isLimited(failed)) await reportKey(deps, wanted, failed.key, failed.error);
    const outcome = await askOnce(deps, asking, key);
    if (!('error' in outcome)) return outcome;
    failed = outcome;
    if (!isLimited(failed)) await reportKey(deps, wanted, failed.key, failed.error);
    if (key.keyId === null) break;
    trail.failed.push(key.keyId);
  }
  return await settle(deps, asking, failed!);
}

const isLimited = ({ error }: Failed): boolean => error.failure === 'rate limited';

/** The next key in order, or the reason why there is none. */
async function nextKey(
  deps: Deps,
  { wanted, reserve, trail }: Asking,
): Promise<KeyInUse | (ModelOutcome & { failure: Cause })> {
  const key = await deps.keys.resolve(wanted, trail.failed);
  if (key.isLimited) trail.restsFor(key.limitedForMs ?? usualRestMs);
  const resting = key.source === 'platform' ? deps.platformRest.of(wanted) : undefined;
  if (resting?.failure === 'rate limited') trail.restsFor(resting.freeInMs);
  if (key.source === 'none' || resting) {
    const failure = key.isLimited ? 'rate limited' : (resting?.failure ?? 'no key');
    return { key, failure, freeInMs: trail.freeInMs };
  }
  const refusal = await reserve(key.source);
  if (!refusal) return { ...key, handedOverMs: performance.now() };
  // The tenant's own paused key is available before the month ends.
  const failure = refusal === 'allowance used up' && key.isLimited ? 'rate limited' : refusal;
  return { key: { keyId: null, source: 'none' }, failure, freeInMs: trail.freeInMs };
}

/** Makes one call. Faults that aren't about the key are returned as an outcome, too. */
async function askOnce(
  deps: Deps,
  { wanted: { tenantId, provider }, question, trail }: Asking,
  key: KeyInUse,
): Promise<ModelOutcome | Failed> {
  const { apiKey, keyHost, keyId, source } = key;
  let durationMs = 0;
  const ended = (outcome: string) => trail.note({ keyId, source, outcome, durationMs });
  const call = async () => {
    const begin = performance.now();
    const call = { ...question, tenantId, provider, apiKey, keyHost, isPlatformKey: source === 'platform' };
    trail.latest = { keyId, source };
    return await deps.model.complete(call).finally(() => {
      durationMs = performance.now() - begin;
    });
  };
  try {
    const answer = await deps.releaseWhile(call);
    ended('answered');
    return { key: { keyId, source }, answer };
  } catch (error) {
    if (error instanceof GivenUp) trail.unheard = unheardOn(key, question);
    if (!(error instanceof ModelError)) throw error;
    ended(error.failure);
    trail.refusal = error.reason ?? trail.refusal;
    trail.contextTokens = error.contextTokens ?? trail.contextTokens;
    deps.log.warn({ err: error, provider, keyId, source }, 'the model gave no answer');
    if (error.failure === 'rate limited') trail.restsFor(error.retryAfterMs ?? usualRestMs);
    if (aboutTheKey.has(error.failure)) return { key, error };
    const isBilled = error.failure === 'timeout' || error.failure === 'unusable answer';
    const unheard = isBilled ? unheardOn(key, question) : undefined;
    const freeInMs = error.wasNotAsked ? error.retryAfterMs : undefined;
    return { key: { keyId, source }, failure: error.failure, freeInMs, ...(unheard ? { unheard } : {}) };
  }
}

const aboutTheKey: ReadonlySet<Cause> = new Set<Cause>(['key refused', 'model refused', 'rate limited']);

/** Called when there is no other key: retries one that is limited briefly. */
async function settle(deps: Deps, asking: Asking, failed: Failed): Promise<ModelOutcome> {
  const { wanted, question, trail } = asking;
  let latest = failed;
  for (let waits = 0; waits < maxWaits && isLimited(latest); waits += 1) {
    const waitMs = latest.error.retryAfterMs ?? firstWaitMs * 2 ** waits * (0.5 + Math.random());
    if (waitMs > (trail.hasAnswer ? longestWaitAfterAnswerMs : longestWaitMs)) break;
    if (!(await deps.releaseWhile(() => hasWaited(waitMs, question.signal)))) break;
    const outcome = await askOnce(deps, asking, latest.key);
    if (!('error' in outcome)) {
      // The key works again, and the turn's next step may use it.
      trail.forget(outcome.key.keyId);
      return outcome;
    }
    latest = outcome;
  }
  if (isLimited(latest) || latest !== failed) await reportKey(deps, wanted, latest.key, latest.error);
  const { keyId, source } = latest.key;
  if (question.signal.aborted) return { key: { keyId, source }, failure: 'timeout' };
  const isFreeSoon = trail.freeInMs !== undefined;
  const failure = isFreeSoon ? 'rate limited' : latest.error.failure;
  return { key: { keyId, source }, failure, freeInMs: trail.freeInMs };
}

/** Returns `false` when the deadline passed first. @throws the signal's reason when it is another one. */
async function hasWaited(waitMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(waitMs, undefined, { signal });
    return true;
  } catch (error) {
    if ((signal.reason as { name?: unknown }).name === 'TimeoutError') return false;
    throw signal.aborted ? signal.reason : error;
  }
}
