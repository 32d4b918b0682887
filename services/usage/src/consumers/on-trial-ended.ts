import type { trialEnded } from '@botyard/contracts/events/agents';
import { noBotId } from '@botyard/contracts/events/usage';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { countTurns } from '../domain/count-turns.ts';

/** A trial or a test's answer isn't a message, but its usage counts for its agent, and its reservation is settled. */
export async function onTrialEnded(
  tx: TenantTx,
  trials: Received<typeof trialEnded>[],
  deps: Deps,
): Promise<void> {
  const turns = trials.map(({ data: { trialId, runId, kind, ...data } }) => ({
    ...data,
    turnId: trialId,
    conversationId: runId ?? trialId,
    botId: noBotId,
    outcome: kind ?? ('trial' as const),
  }));
  await countTurns(deps, tx, turns);
}
