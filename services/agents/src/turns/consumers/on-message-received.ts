import type { messageReceived } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { takeIn } from '../domain/begin-at-once.ts';

export async function onMessageReceived(
  tx: TenantTx,
  events: Received<typeof messageReceived>[],
  deps: Deps,
): Promise<void> {
  tx.endsHere();
  await takeIn(
    deps,
    tx,
    events.map(({ data, traceparent }) => ({ ...data, traceparent })),
  );
}
