import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { turnCompleted } from '@botyard/shared/events/agents';
import { toIncrement, usesSomething } from '../domain/increment.ts';
import { addToCounters } from '../store/counters.ts';

/** What turns used is counted; the inbox has let each of them pass once. */
export async function onTurnCompleted(tx: TenantTx, turns: Received<typeof turnCompleted>[]): Promise<void> {
  await addToCounters(tx, turns.map(({ data }) => toIncrement(data)).filter(usesSomething));
}
