import type { messageReceived } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { enqueueMessages } from '../store/enqueue.ts';

export async function onMessageReceived(
  tx: TenantTx,
  events: Received<typeof messageReceived>[],
  deps: Deps,
): Promise<void> {
  tx.endsHere();
  const waitsMs = await enqueueMessages(
    tx,
    events.map(({ data, traceparent }) => ({ ...data, traceparent })),
  );
  tx.afterCommit(() => {
    for (const waitMs of waitsMs) deps.wakeWorker(waitMs);
  });
}
