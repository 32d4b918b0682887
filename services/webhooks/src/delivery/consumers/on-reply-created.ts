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
    ({ data: { chat: place, author, askedAt, answerUntil, ...reply }, traceparent = null }) => ({
      ...reply,
      place,
      platform: reply.platform ?? unnamedPlatform,
      file: reply.file ?? null,
      template: reply.template ?? null,
      choices: reply.choices ?? null,
      askedAt: askedAt === undefined ? null : new Date(askedAt),
      answerUntil: answerUntil === undefined ? null : new Date(answerUntil),
      stopsEarlier: reply.stopsEarlier ?? false,
      isByStaff: author === 'staff',
      isAnswer: reply.isAnswer ?? false,
      traceparent,
    }),
  );
  await queueReplies(deps, tx, replies);
}
