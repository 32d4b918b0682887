import { keyFailed } from '@botyard/contracts/events/agents';
import { withTenant } from '@botyard/shared/db/database';
import type { ResolvedKey, WantedKey } from '../../clients/keys.ts';
import type { ModelError } from '../clients/call-failure.ts';
import type { Deps } from '../deps.ts';

/** A key in use, with the time since when. */
export interface KeyInUse extends ResolvedKey {
  handedOverMs: number;
}

/**
 * Reports a key that a provider refused. A tenant's key is reported to the keys service for a 401 or a limit. A 403 or
 * 404 is about the model or the region, so it marks no key. The platform's key is reported to the operator, and is
 * paused. If the tenant's own private LLM was used instead of a key, nothing is reported.
 *
 * A failed report doesn't fail the answer: the next call with the key reports it again.
 */
export async function reportKey(
  deps: Deps,
  wanted: WantedKey,
  key: KeyInUse,
  error: ModelError,
): Promise<void> {
  const { tenantId, provider, model } = wanted;
  const { keyId, source, resolvedAt } = key;
  if (source === 'platform' && error.hadKey) {
    if (error.failure === 'key refused')
      deps.log.error({ err: error, provider }, "the platform's own key for a provider fails");
    else deps.log.warn({ err: error, provider, model }, "the platform's own key cannot use a model");
    deps.platformRest.begin(wanted, error);
  }
  const failure = error.failure === 'rate limited' ? 'limited' : error.status === 401 ? 'refused' : undefined;
  if (!keyId || !resolvedAt || !failure) return;
  const report = {
    tenantId,
    keyId,
    provider,
    model,
    failure,
    resolvedAt,
    failedAfterMs: Math.round(performance.now() - key.handedOverMs),
    retryAfterMs: error.retryAfterMs,
  } as const;
  try {
    await withTenant(deps.database, [tenantId], (tx) => deps.outbox.emit(tx, keyFailed, report));
  } catch (failed) {
    deps.log.warn({ err: failed, keyId }, 'could not report a failed key');
  }
}
