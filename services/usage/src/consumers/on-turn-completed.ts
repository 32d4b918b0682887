import type { turnCompleted } from '@botyard/contracts/events/agents';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { countTurns } from '../domain/count-turns.ts';

/** What turns used is counted; the inbox has let each event pass once. */
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
