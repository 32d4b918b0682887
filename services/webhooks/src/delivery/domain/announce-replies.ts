import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { platformChatIdOf } from '@botyard/contracts/http/platform';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { SendDeps } from '../deps.ts';
import { type EndedReply, endReplies, type ReplyKey } from '../store/replies.ts';
import { listUnannouncedParts, lockOutboxForWriting, takeUnannounced } from '../store/unannounced-parts.ts';

/** Ends and announces those of these replies whose parts were all sent or given up, each once. */
export async function announceEnded(
  deps: Pick<SendDeps, 'outbox'>,
  tx: TenantTx,
  replies: readonly ReplyKey[],
): Promise<void> {
  await announce(deps, tx, await endReplies(tx, replies));
}

/** Announces replies that this transaction has ended. */
export async function announce(
  { outbox }: Pick<SendDeps, 'outbox'>,
  tx: TenantTx,
  ended: readonly EndedReply[],
): Promise<void> {
  if (ended.length === 0) return;
  const events = ended.map(({ hasFailed, lastError, ...reply }) => ({
    ...reply,
    state: hasFailed ? ('failed' as const) : ('sent' as const),
    lastError: lastError ?? undefined,
  }));
  await outbox.emit(tx, replyDelivered, ...events);
}

/** Announces replies whose outcome was saved without its event, when the outbox accepts events again. */
export async function announceSaved(deps: SendDeps): Promise<void> {
  const { database, platforms } = deps;
  const options = { isOneRoundTrip: true, isDurable: false };
  for (const part of await withPlatform(database, 'unannounced parts', listUnannouncedParts, options)) {
    const { tenantId, replyId, platform, chatKey } = part;
    const { records } = platforms[platform];
    await withTenant(database, [tenantId], async (tx) => {
      // Taken first and without waiting, because nothing else is done to the reply while it is locked here.
      await lockOutboxForWriting(tx);
      await records?.lock(tx, { tenantId, platformChatId: platformChatIdOf(platform, chatKey) });
      await takeUnannounced(tx, part);
      if (replyId !== null) await announceEnded(deps, tx, [{ tenantId, replyId }]);
      await records?.settle(tx, part);
    });
  }
}
