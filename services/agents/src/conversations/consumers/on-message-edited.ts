import type { messageEdited } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { applyEdit } from '../domain/apply-edit.ts';

export const onMessageEdited = (tx: TenantTx, { data }: Received<typeof messageEdited>): Promise<void> =>
  applyEdit(tx, data);
