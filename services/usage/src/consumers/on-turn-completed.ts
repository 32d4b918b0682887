import type { turnCompleted } from '@botyard/contracts/events/agents';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { countTurns } from '../domain/count-turns.ts';

/** Counts the use of turns; the inbox passes each event only once. */
export async function onTurnCompleted(
  tx: TenantTx,
  turns: Received<typeof turnCompleted>[],
  deps: Deps,
): Promise<void> {
  await countTurns(
    deps,
    tx,
    turns.map(({ data }) => data),
  );
}
