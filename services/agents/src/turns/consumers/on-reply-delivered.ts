import type { replyDelivered } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { saveDeliveries } from '../../conversations/store/messages.ts';

export async function onReplyDelivered(
  tx: TenantTx,
  events: Received<typeof replyDelivered>[],
): Promise<void> {
  tx.endsHere();
  await saveDeliveries(
    tx,
    events.map(({ data }) => data),
  );
}
