import type { keyFailed } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { coolDown, type KeyRow, lockKey } from '../store/keys.ts';
import { markInvalid } from './mark-invalid.ts';

const usualRestMs = 30_000;
const longestRestMs = 10 * 60_000;
/** A key that is limited for more models is paused for all. */
const maxModels = 50;

/**
 * Applies a provider's refusal of a key during a chat (REQ-CHAT-14): a refused key is marked invalid. A limited one is
 * paused for this model, as long as the provider asked for, at most 10 minutes, or else for 30 s. Outdated reports are
 * ignored: those about a deleted or invalid key, one that the provider has accepted since, or a pause that would be
 * over.
 */
export async function applyKeyFailure(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  failed: DataOf<typeof keyFailed>,
): Promise<void> {
  const resolvedAt = new Date(failed.resolvedAt);
  const key = await lockKey(tx, failed);
  if (!key) return;
  if (failed.failure === 'refused') {
    const isTakenSince = key.confirmedAt !== null && key.confirmedAt > resolvedAt;
    if (!isTakenSince) await markInvalid(deps, tx, key, 'provider');
    return;
  }
  const restMs = Math.min(failed.retryAfterMs ?? usualRestMs, longestRestMs);
  const failedAt = new Date(resolvedAt.getTime() + failed.failedAfterMs);
  const until = new Date(failedAt.getTime() + restMs);
  const models = limitedModels(key, { model: failed.model, failedAt, until });
  await coolDown(tx, key, { until, models, longestMs: longestRestMs });
}

/** The models for which a key is paused, with the end of each pause; `null` for all models. */
function limitedModels(
  { coolUntil, coolModels }: KeyRow,
  { model, failedAt, until }: { model: string | undefined; failedAt: Date; until: Date },
): Record<string, string> | null {
  const isResting = coolUntil !== null && coolUntil > failedAt;
  if (model === undefined || (isResting && coolModels === null)) return null;
  const resting = Object.entries(coolModels ?? {}).filter(([, end]) => new Date(end) > failedAt);
  const others = resting.filter(([name]) => name !== model);
  if (others.length >= maxModels) return null;
  const restingUntil = resting.find(([name]) => name === model)?.[1];
  const end = restingUntil && new Date(restingUntil) > until ? restingUntil : until.toISOString();
  return Object.fromEntries([...others, [model, end]]);
}
