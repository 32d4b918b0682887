import type { replyCreated } from '@botyard/contracts/events/agents';
import { unnamedPlatform } from '@botyard/contracts/platform-names';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { QueueDeps } from '../deps.ts';
import { queueReplies } from '../domain/queue.ts';

export async function onReplyCreated(
  tx: TenantTx,
  events: Received<typeof replyCreated>[],
  deps: QueueDeps,
): Promise<void> {
  const replies = events.map(
    ({
      data: {
        chat: place,
        askedAt,
        answerUntil,
        stopsEarlier = false,
        platform = unnamedPlatform,
        author,
        file = null,
        template = null,
        choices = null,
        isAnswer = false,
        ...reply
      },
      traceparent = null,
    }) => ({
      ...reply,
      platform,
      place,
      file,
      template,
      choices,
      askedAt: askedAt === undefined ? null : new Date(askedAt),
      answerUntil: answerUntil === undefined ? null : new Date(answerUntil),
      stopsEarlier,
      isByStaff: author === 'staff',
      isAnswer,
      traceparent,
    }),
  );
  await queueReplies(deps, tx, replies);
}
