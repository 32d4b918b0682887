import { setTimeout as pause } from 'node:timers/promises';
import { ModelError } from '../../clients/call-failure.ts';
import type { ResolvedKey, WantedKey } from '../../clients/keys.ts';
import type { ModelAnswer, ModelCall } from '../../clients/model.ts';
import type { Deps } from '../../deps.ts';
import type { Cause } from './phrases.ts';
import { type KeyInUse, reportKey } from './report-key.ts';

export type ModelQuestion = Omit<ModelCall, 'provider' | 'apiKey' | 'keyHost'>;

/** What came of a question, and the key that it was asked with last: the one that answered, if any did. */
export type ModelOutcome = { key: Pick<ResolvedKey, 'keyId' | 'source'> } & (
  | { answer: ModelAnswer }
  | { failure: Cause }
);

/** Most keys that one question is tried with. */
const mostKeys = 5;
/** How often the last key is asked again when the provider limits it, and how long that is waited for. */
const mostWaits = 2;
const firstWaitMs = 2000;
const longestWaitMs = 30_000;

interface Failed {
  key: KeyInUse;
  error: ModelError;
}

/**
 * Asks the model with the tenant's keys in their order (P0 14): of one that the provider refuses (401, 403) or limits
 * (402, 429) is told, and the next one is tried, all within the signal's deadline. A fault that isn't about the key
 * ends it. @throws HttpError 503 when keys can't be asked for; the signal's own reason when that isn't its deadline.
 */
export async function askModel(
  deps: Deps,
  wanted: WantedKey,
  question: ModelQuestion,
): Promise<ModelOutcome> {
  const tried: string[] = [];
  let failed: Failed | undefined;
  while (tried.length < mostKeys) {
    const key = await nextKey(deps, wanted, tried);
    if ('failure' in key) return failed ? await settle(deps, wanted, failed, question) : key;
    if (failed && isLimited(failed)) await reportKey(deps, wanted, failed.key, failed.error);
    const outcome = await askOnce(deps, wanted, key, question);
    if (!('error' in outcome)) return outcome;
    failed = outcome;
    if (!isLimited(failed)) await reportKey(deps, wanted, failed.key, failed.error);
    if (key.keyId === null) break;
    tried.push(key.keyId);
  }
  return await settle(deps, wanted, failed!, question);
}

const isLimited = ({ error }: Failed): boolean => error.failure === 'rate limited';

/** The next key in order; or why there is none. */
async function nextKey(
  deps: Deps,
  wanted: WantedKey,
  tried: readonly string[],
): Promise<KeyInUse | (ModelOutcome & { failure: Cause })> {
  const key = await deps.keys.resolve(wanted, tried);
  const resting = key.source === 'platform' ? deps.platformRest.failureOf(wanted.provider) : undefined;
  if (key.source !== 'none' && !resting) return { ...key, handedOverMs: performance.now() };
  return { key, failure: resting ?? (key.isLimited ? 'rate limited' : 'no key') };
}

/** One call. What isn't about the key is an outcome, too. */
async function askOnce(
  deps: Deps,
  { provider }: WantedKey,
  key: KeyInUse,
  question: ModelQuestion,
): Promise<ModelOutcome | Failed> {
  const { apiKey, keyHost, keyId, source } = key;
  try {
    return {
      key: { keyId, source },
      answer: await deps.model.complete({ ...question, provider, apiKey, keyHost }),
    };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    deps.log.warn({ err: error, provider, keyId, source }, 'the model gave no answer');
    const isAboutKey = error.failure === 'key refused' || error.failure === 'rate limited';
    return isAboutKey ? { key, error } : { key: { keyId, source }, failure: error.failure };
  }
}

/** There is no other key: one that is limited is asked again, as often and as late as a person waits for it. */
async function settle(
  deps: Deps,
  wanted: WantedKey,
  failed: Failed,
  question: ModelQuestion,
): Promise<ModelOutcome> {
  let latest = failed;
  for (let waits = 0; waits < mostWaits && isLimited(latest); waits += 1) {
    const waitMs = latest.error.retryAfterMs ?? firstWaitMs * 2 ** waits * (0.5 + Math.random());
    if (waitMs > longestWaitMs || !(await hasWaited(waitMs, question.signal))) break;
    const outcome = await askOnce(deps, wanted, latest.key, question);
    if (!('error' in outcome)) return outcome;
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
