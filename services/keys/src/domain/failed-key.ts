import type { DataOf } from '@botyard/shared/bus/definition';
import type { TenantTx } from '@botyard/shared/db/database';
import type { keyFailed } from '@botyard/shared/events/agents';
import type { Deps } from '../deps.ts';
import { coolDown, lockKey } from '../store/keys.ts';
import { markInvalid } from './mark-invalid.ts';

const usualRestMs = 30_000;
const longestRestMs = 10 * 60_000;

/**
 * What a provider did with a key during a chat (P0 14): refused, it is marked invalid; limited, it cools down for as
 * long as the provider asked for, at most 10 minutes, else for 30 s. News that come late count for nothing: of a key
 * that is gone or invalid already, one that the provider took again since, or a rest that would be over.
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
  await coolDown(tx, key, {
    until: new Date(resolvedAt.getTime() + failed.failedAfterMs + restMs),
    longestMs: longestRestMs,
  });
}
