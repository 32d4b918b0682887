import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withTenant } from '@botyard/shared/db/database';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { CallResult } from '../clients/messenger.ts';
import type { Deps } from '../deps.ts';
import { type ClaimedCallback, callbackQueue, settleCallback } from '../store/callbacks.ts';
import { connector } from './connection.ts';

/**
 * Acknowledges pressed buttons, because the person's client waits for that. Each is acknowledged once, except after a
 * crash between the call and its record. Retried while the platform can't be reached, until the client no longer waits.
 */
export const createCallbackAnswers = (deps: Deps): LeasedQueue<ClaimedCallback> =>
  new LeasedQueue(deps, {
    name: 'callback answers',
    table: callbackQueue,
    slots: 16,
    run: (callback) => acknowledge(deps, callback),
  });

async function acknowledge(deps: Deps, callback: ClaimedCallback): Promise<void> {
  const endpoint = await deps.endpoints.find(connector, callback.botId);
  const result =
    endpoint && (await deps.messenger.answerCallback(endpoint.botToken, callback.callbackQueryId));
  await withTenant(deps.database, [callback.tenantId], (tx) =>
    settleCallback(tx, callback, result && retryInMs(result, callback.attempts)),
  );
}

/** A refusal is final: the press is too old, or was acknowledged. */
function retryInMs(result: CallResult<unknown>, attempts: number): number | null {
  if (result.outcome === 'limited') return result.retryAfterMs;
  return result.outcome === 'failed' ? backoffMs(attempts) : null;
}
