import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { toOwnChat } from '../../chats/domain/chat-state.ts';
import type { SendDeps } from '../deps.ts';
import { type ClaimedChat, lockHeldChats, releaseChats } from '../store/chats.ts';
import { endParts } from '../store/parts.ts';
import { endReplies } from '../store/replies.ts';
import { announce } from './announce-replies.ts';
import { changesBy } from './queue-changes.ts';
import { type Next, type SendEnd, toPartEnd } from './send-end.ts';

export type SettleDeps = Pick<SendDeps, 'database' | 'outbox' | 'platforms' | 'wakeSender'>;

/**
 * Writes how sends ended, in one transaction. An outcome is written even if the chat was lost meanwhile, as long as no
 * later send has begun; effects on a chat need the chat. Returns what is next in the chats, in the order of the ends.
 *
 * `announcesLater` is for when the outbox may take no events: replies are announced later, with the platform's record,
 * and what changes a chat's queue is left to another call.
 */
export async function settleSends(
  deps: SettleDeps,
  ends: readonly SendEnd[],
  { announcesLater = false } = {},
): Promise<Next[]> {
  const tenantIds = ends.map(({ tenantId }) => tenantId);
  const recordsOf = ({ platform }: ClaimedChat) =>
    announcesLater ? undefined : deps.platforms[platform].records;
  const isLeft = (end: SendEnd) => announcesLater && changesBy(end).length > 0;
  const settle = async (tx: TenantTx): Promise<Next[]> => {
    // Transactions lock chats in the same order.
    const chats = ends.flatMap(({ chat }) => chat ?? []).toSorted(byPlace);
    const replies = ends.flatMap(({ tenantId, replyId }) => (replyId === null ? [] : { tenantId, replyId }));
    // No statement needs another's result, so all are sent together, unless a chat's queue changes.
    const recorded = chats.map((chat) => recordsOf(chat)?.lock(tx, toOwnChat(chat)));
    const parts = ends.map((end) => toPartEnd(end, { announcesLater }));
    const writing = Promise.all([lockHeldChats(tx, chats), endParts(tx, parts), ...recorded]);
    for (const end of ends)
      for (const change of announcesLater ? [] : changesBy(end))
        if (end.chat && (await writing)[0].has(end.chat.fence))
          replies.push(...(await change(deps, tx, end, end.chat)));
    const released = ends.flatMap((end) =>
      end.chat && !isLeft(end) ? { ...end.chat, waitMs: end.waitMs ?? 0 } : [],
    );
    const [[held], waits, ended] = await Promise.all([
      writing,
      releaseChats(tx, released),
      announcesLater ? [] : endReplies(tx, replies),
      ...ends.map((end) => end.chat && recordsOf(end.chat)?.settle(tx, end)),
    ]);
    tx.endsHere();
    await announce(deps, tx, ended);
    return ends.map(({ chat, waitMs = 0 }) => {
      if (!chat || !held.has(chat.fence)) return 'lost';
      const isWaiting = waits.get(chat.fence);
      if (isWaiting === undefined) return 'more';
      return isWaiting ? { waitMs } : 'empty';
    });
  };
  return await withTenant(deps.database, tenantIds, settle, { plansOnce: true });
}

const byPlace = (one: ClaimedChat, other: ClaimedChat): number => (one.chatKey < other.chatKey ? -1 : 1);
