import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { chatMigrated } from '@botyard/shared/events/webhooks';
import type { Deps } from '../deps.ts';
import { moveChat } from '../domain/chats/move-chat.ts';

export const onChatMigrated = (
  tx: TenantTx,
  { data }: Received<typeof chatMigrated>,
  deps: Deps,
): Promise<void> => moveChat(deps, tx, data);
