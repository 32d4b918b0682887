import type { messageReceived } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { enqueueMessages } from '../store/enqueue.ts';

/** Stores messages, and wakes the worker when their conversations are ready. */
export async function onMessageReceived(
  tx: TenantTx,
  events: Received<typeof messageReceived>[],
  deps: Pick<Deps, 'wakeWorker'>,
): Promise<void> {
  tx.endsHere();
  const messages = events.map(({ data, traceparent }) => ({ ...data, traceparent }));
  const waitsMs = await enqueueMessages(tx, messages);
  tx.afterCommit(() => {
    for (const waitMs of waitsMs) deps.wakeWorker(waitMs);
  });
}
