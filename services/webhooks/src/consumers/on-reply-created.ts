import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { replyCreated } from '@botyard/shared/events/agents';
import type { Deps } from '../deps.ts';
import { queueReply } from '../domain/queue-reply.ts';

export async function onReplyCreated(
  tx: TenantTx,
  { data }: Received<typeof replyCreated>,
  deps: Deps,
): Promise<void> {
  const { chat: place, askedAt, stopsEarlier = false, ...reply } = data;
  await queueReply(deps, tx, {
    ...reply,
    place,
    askedAt: askedAt === undefined ? null : new Date(askedAt),
    stopsEarlier,
  });
  tx.afterCommit(deps.wakeSender);
}
