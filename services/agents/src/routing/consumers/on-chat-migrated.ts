import type { chatMigrated } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { moveChat } from '../domain/move-chat.ts';

export const onChatMigrated = (
  tx: TenantTx,
  { data }: Received<typeof chatMigrated>,
  deps: Deps,
): Promise<void> => moveChat(deps, tx, data);
