import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Deps } from '../../../deps.ts';
import type { CallResult } from '../clients/messenger.ts';
import { type ClaimedCallback, claimCallbacks, isCallbackDue, settleCallback } from '../store/callbacks.ts';
import { connector } from './connection.ts';

const maxConcurrent = 16;

/**
 * Acknowledges pressed buttons, because the person's client waits for that. Each is acknowledged once, except after a
 * crash between the call and its record. Retried while the platform can't be reached, until the client no longer waits.
 */
export function createCallbackAnswers(deps: Deps): ClaimLoop<ClaimedCallback> {
  const loop = new ClaimLoop<ClaimedCallback>({
    name: 'callback answers',
    maxConcurrent,
    claim: (limit) => withPlatform(deps.database, 'claim callbacks', (tx) => claimCallbacks(tx, limit)),
    run: (callback) => acknowledge(deps, callback),
    log: deps.log,
    stalls: deps.stalls,
  });
  deps.due.add({ name: 'callback answers', isDue: isCallbackDue, wake: () => loop.wake() });
  return loop;
}

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
