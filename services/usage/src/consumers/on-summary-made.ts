import type { summaryMade } from '@botyard/contracts/events/agents';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { countTurns } from '../domain/count-turns.ts';

/** A summary isn't a message, but its tokens count, and its reservation is settled. */
export async function onSummaryMade(
  tx: TenantTx,
  summaries: Received<typeof summaryMade>[],
  deps: Deps,
): Promise<void> {
  const turns = summaries.map(({ data: { summaryId, ...data } }) => ({
    ...data,
    turnId: summaryId,
    outcome: 'summary' as const,
    toolCalls: 0,
  }));
  await countTurns(deps, tx, turns);
}
