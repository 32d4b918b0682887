import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { replyDelivered } from '@botyard/shared/events/webhooks';
import { saveStatus } from '../store/messages.ts';

export async function onReplyDelivered(
  tx: TenantTx,
  { data }: Received<typeof replyDelivered>,
): Promise<void> {
  const { tenantId, replyId, state: status, lastError } = data;
  await saveStatus(tx, tenantId, [replyId], { status, ...(lastError ? { lastError } : {}) });
}
