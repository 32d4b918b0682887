import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { messageEdited } from '@botyard/shared/events/webhooks';
import { applyEdit } from '../domain/chats/apply-edit.ts';

export const onMessageEdited = (tx: TenantTx, { data }: Received<typeof messageEdited>): Promise<void> =>
  applyEdit(tx, data);
