import { setTimeout as pause } from 'node:timers/promises';
import { ModelError } from '../../clients/call-failure.ts';
import type { ResolvedKey, WantedKey } from '../../clients/keys.ts';
import type { ModelAnswer, ModelCall } from '../../clients/model.ts';
import type { Deps } from '../../deps.ts';
import type { KeyTrail } from '../loop/key-trail.ts';
import type { Cause } from './phrases.ts';
import { type KeyInUse, reportKey } from './report-key.ts';

export type ModelQuestion = Omit<ModelCall, 'tenantId' | 'provider' | 'apiKey' | 'keyHost'>;

/** What came of a question, and the key that it was asked with last: the one that answered, if any did. */
export type ModelOutcome = { key: Pick<ResolvedKey, 'keyId' | 'source'> } & (
  | { answer: ModelAnswer }
  | { failure: Cause }
);

/** Most keys that one turn is tried with. */
const mostKeys = 5;
/** How often the last key is asked again when the provider limits it, and how long that is waited for. */
const mostWaits = 2;
const firstWaitMs = 2000;
const longestWaitMs = 30_000;

/** Whose question it is, what it is, and the keys that the turn was tried with so far. */
interface Asking {
  wanted: WantedKey;
  question: ModelQuestion;
  trail: KeyTrail;
}

interface Failed {
  key: KeyInUse;
  error: ModelError;
}

/**
 * Asks the model with the tenant's keys in their order (P0 14): of one that the provider refuses (401, 403) or limits
 * (402, 429) is told, and the next one is tried, all within the signal's deadline. A fault that isn't about the key
 * ends it. The trail is the turn's: what failed in an earlier step isn't tried again. @throws HttpError 503 when keys
 * can't be asked for; the signal's own reason when that isn't its deadline.
 */
export async function askModel(deps: Deps, asking: Asking): Promise<ModelOutcome> {
  const { wanted, trail } = asking;
  let failed: Failed | undefined;
  while (trail.failed.length < mostKeys) {
    const key = await nextKey(deps, wanted, trail.failed);
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

/** The next key in order; or why there is none. */
async function nextKey(
  deps: Deps,
  wanted: WantedKey,
  failed: readonly string[],
): Promise<KeyInUse | (ModelOutcome & { failure: Cause })> {
  const key = await deps.keys.resolve(wanted, failed);
  const resting = key.source === 'platform' ? deps.platformRest.failureOf(wanted.provider) : undefined;
  if (key.source !== 'none' && !resting) return { ...key, handedOverMs: performance.now() };
  return { key, failure: resting ?? (key.isLimited ? 'rate limited' : 'no key') };
}

/** One call. What isn't about the key is an outcome, too. */
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
    const asked = { ...question, tenantId, provider, apiKey, keyHost };
    return await deps.model.complete(asked).finally(() => {
      durationMs = performance.now() - begin;
    });
  };
  try {
    const answer = await deps.outside(call);
    ended('answered');
    return { key: { keyId, source }, answer };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    ended(error.failure);
    deps.log.warn({ err: error, provider, keyId, source }, 'the model gave no answer');
    const isAboutKey = error.failure === 'key refused' || error.failure === 'rate limited';
    return isAboutKey ? { key, error } : { key: { keyId, source }, failure: error.failure };
  }
}

/** There is no other key: one that is limited is asked again, as often and as late as a person waits for it. */
async function settle(deps: Deps, asking: Asking, failed: Failed): Promise<ModelOutcome> {
  const { wanted, question, trail } = asking;
  let latest = failed;
  for (let waits = 0; waits < mostWaits && isLimited(latest); waits += 1) {
    const waitMs = latest.error.retryAfterMs ?? firstWaitMs * 2 ** waits * (0.5 + Math.random());
    if (waitMs > longestWaitMs) break;
    if (!(await deps.outside(() => hasWaited(waitMs, question.signal)))) break;
    const outcome = await askOnce(deps, asking, latest.key);
    if (!('error' in outcome)) {
      // It answers again, and the turn's next step may ask with it.
      trail.forget(outcome.key.keyId);
      return outcome;
    }
    latest = outcome;
  }
  if (isLimited(latest) || latest !== failed) await reportKey(deps, wanted, latest.key, latest.error);
  const { keyId, source } = latest.key;
  const isLate = question.signal.aborted;
  return { key: { keyId, source }, failure: isLate ? 'timeout' : latest.error.failure };
}

/** `false` when the deadline came first. @throws the signal's reason when it is another one. */
async function hasWaited(waitMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(waitMs, undefined, { signal });
    return true;
  } catch (error) {
    if ((signal.reason as { name?: unknown }).name === 'TimeoutError') return false;
    throw signal.aborted ? signal.reason : error;
  }
}
