import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { replyCreated } from '@botyard/shared/events/agents';
import type { Deps } from '../deps.ts';
import { queueReplies } from '../domain/queue-reply.ts';

export async function onReplyCreated(
  tx: TenantTx,
  events: Received<typeof replyCreated>[],
  deps: Deps,
): Promise<void> {
  await queueReplies(
    deps,
    tx,
    events.map(
      ({
        data: { chat: place, askedAt, stopsEarlier = false, platform = 'messenger', ...reply },
        traceparent = null,
      }) => ({
        ...reply,
        platform,
        place,
        askedAt: askedAt === undefined ? null : new Date(askedAt),
        stopsEarlier,
        traceparent,
      }),
    ),
  );
  tx.afterCommit(deps.wakeSender);
}
