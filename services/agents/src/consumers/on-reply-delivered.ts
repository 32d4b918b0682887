import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { replyDelivered } from '@botyard/shared/events/webhooks';
import { saveDelivery } from '../store/messages.ts';

export async function onReplyDelivered(
  tx: TenantTx,
  { data }: Received<typeof replyDelivered>,
): Promise<void> {
  const { tenantId, replyId, state, lastError, platformMessageIds, isUncertain } = data;
  const delivery = { platformMessageIds, isUncertain, deliveredAt: new Date().toISOString() };
  await saveDelivery(tx, { tenantId, messageId: replyId }, { state, delivery, lastError: lastError ?? null });
}
