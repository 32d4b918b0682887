import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { toOwnChat } from '../../chats/domain/chat-state.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { SendDeps } from '../deps.ts';
import { type ClaimedChat, lockHeldChats, releaseChats } from '../store/chats.ts';
import { endParts } from '../store/parts.ts';
import { endReplies } from '../store/replies.ts';
import { announce } from './announce-replies.ts';
import { changeQueue, changesQueue } from './queue-changes.ts';
import { type SendEnd, type Settled, toPartEnd } from './send-end.ts';

export type SettleDeps = Pick<SendDeps, 'database' | 'outbox' | 'platforms' | 'wakeSender'>;

interface SettleOptions {
  /** The platform's records of sent replies, if it has them. */
  records?: Platform['records'];
  /**
   * For when the outbox may take no events: replies are announced later, and what changes a chat's queue is left to
   * another call.
   */
  announcesLater?: boolean;
}

/**
 * Writes how sends ended, in one transaction. An outcome is written even if the chat was lost meanwhile, as long as no
 * later send has begun; effects on a chat need the chat. Results are in the order of the ends.
 */
export async function settleSends(
  deps: SettleDeps,
  ends: readonly SendEnd[],
  options: SettleOptions = {},
): Promise<Settled[]> {
  const tenantIds = [...new Set(ends.map(({ tenantId }) => tenantId))];
  return await withTenant(deps.database, tenantIds, (tx) => settle(deps, tx, ends, options), {
    plansOnce: true,
  });
}

async function settle(
  deps: SettleDeps,
  tx: TenantTx,
  ends: readonly SendEnd[],
  { records, announcesLater = false }: SettleOptions,
): Promise<Settled[]> {
  // Transactions lock chats in the same order.
  const chats = ends.flatMap(({ chat }) => chat ?? []).toSorted(byPlace);
  const replies = ends.flatMap(({ tenantId, replyId }) => (replyId === null ? [] : [{ tenantId, replyId }]));
  // No statement needs another's result, so all are sent together, unless a chat's queue changes.
  const recorded = chats.map((chat) => records?.lock(tx, toOwnChat(chat)));
  const parts = ends.map((end) => ({ ...toPartEnd(end), isUnannounced: false }));
  if (announcesLater) for (const part of parts) part.isUnannounced = part.state !== 'queued';
  const writing = Promise.all([lockHeldChats(tx, chats), endParts(tx, parts), ...recorded]);
  const changing = announcesLater ? [] : ends.filter(changesQueue);
  if (changing.length > 0) {
    const [held] = await writing;
    for (const end of changing)
      if (end.chat && held.has(end.chat.fence)) replies.push(...(await changeQueue(deps, tx, end, end.chat)));
  }
  const toRelease = announcesLater ? ends.filter((end) => !changesQueue(end)) : ends;
  const [[held, written], waits, ended] = await Promise.all([
    writing,
    releaseChats(
      tx,
      toRelease.flatMap(({ chat, waitMs = 0 }) => (chat ? [{ ...chat, waitMs }] : [])),
    ),
    announcesLater ? [] : endReplies(tx, replies),
    ...ends.map((end) => records?.settle(tx, end)),
  ]);
  tx.endsHere();
  await announce(deps, tx, ended);
  return ends.map(({ chat, partId, waitMs = 0 }) => {
    const isWritten = written.has(partId);
    if (!chat || !held.has(chat.fence)) return { next: 'lost', isWritten };
    const isWaiting = waits.get(chat.fence);
    if (isWaiting === undefined) return { next: 'more', isWritten };
    return { next: isWaiting ? { waitMs } : 'empty', isWritten };
  });
}

const byPlace = (one: ClaimedChat, other: ClaimedChat): number => (one.chatKey < other.chatKey ? -1 : 1);
