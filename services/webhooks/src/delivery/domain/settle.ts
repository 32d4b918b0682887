import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { markBlocked } from '../../chats/domain/chat-state.ts';
import { migrateChat } from '../../chats/domain/migrate-chat.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { SendDeps } from '../deps.ts';
import { type ClaimedChat, lockHeldChats, releaseChats } from '../store/chats.ts';
import { giveUpRestOf, noteWait } from '../store/given-up-parts.ts';
import { endParts } from '../store/parts.ts';
import { endReplies, type ReplyKey } from '../store/replies.ts';
import { announce } from './announce-replies.ts';
import { changesChat, isOver, type Next, type SendEnd, type Settled, toPartEnd, waitOf } from './send-end.ts';

export type SettleDeps = Pick<SendDeps, 'database' | 'outbox' | 'platforms' | 'wakeSender'>;

export interface SettleOptions {
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
  return await withTenant(deps.database, tenantIds, (tx) => settleWithin(deps, tx, ends, options), {
    plansOnce: true,
  });
}

async function settleWithin(
  deps: SettleDeps,
  tx: TenantTx,
  ends: readonly SendEnd[],
  { records, announcesLater = false }: SettleOptions,
): Promise<Settled[]> {
  const chats = ends.flatMap(({ chat }) => chat ?? []);
  // No statement needs another's result, so all are sent together, unless a chat's queue changes.
  const recorded = records ? chats.toSorted(byPlace).map((chat) => records.lock(tx, chat)) : [];
  const writing = Promise.all([
    lockHeldChats(tx, chats),
    endParts(
      tx,
      ends.map((end) => ({ ...toPartEnd(end), isUnannounced: announcesLater && isOver(end) })),
    ),
    ...recorded,
  ]);
  const replies = ends.flatMap(({ tenantId, replyId }) => (replyId === null ? [] : [{ tenantId, replyId }]));
  const left = announcesLater ? ends.filter((end) => !changesChat(end)) : ends;
  const changing = announcesLater ? [] : ends.filter(changesChat);
  if (changing.length > 0) {
    const [held] = await writing;
    for (const end of changing)
      if (end.chat && held.has(end.chat.fence)) replies.push(...(await changeChat(deps, tx, end, end.chat)));
  }
  const [[held, written], released, ended] = await Promise.all([
    writing,
    releaseChats(
      tx,
      left.flatMap((end) => (end.chat ? [{ ...end.chat, waitMs: waitOf(end) }] : [])),
    ),
    announcesLater ? [] : endReplies(tx, replies),
    ...(records ? ends.map((end) => records.settle(tx, end)) : []),
  ]);
  tx.endsHere();
  await announce(deps, tx, ended);
  return ends.map((end) => ({
    next: nextOf(end, held.has(end.chat?.fence ?? 0), released),
    isWritten: written.has(end.partId),
  }));
}

/** Transactions lock records in the same order. */
const byPlace = (one: ClaimedChat, other: ClaimedChat): number =>
  one.platformChatId < other.platformChatId ? -1 : 1;

function nextOf(end: SendEnd, isHeld: boolean, released: ReadonlyMap<number, boolean>): Next {
  if (!end.chat || !isHeld) return 'lost';
  const isWaiting = released.get(end.chat.fence);
  if (isWaiting === undefined) return 'more';
  return isWaiting ? { waitMs: waitOf(end) } : 'empty';
}

/** Changes the rest of the queue of a chat that is held. Returns further replies whose parts were given up. */
async function changeChat(
  deps: SettleDeps,
  tx: TenantTx,
  end: SendEnd,
  chat: ClaimedChat,
): Promise<ReplyKey[]> {
  const { tenantId, platformChatId: fromChatId } = chat;
  const { replyId, movedTo: toChatId = fromChatId } = end;
  const reason = end.end === 'sent' ? '' : (end.reason ?? '');
  if (end.end === 'refused' && end.endsReply && replyId !== null)
    await giveUpRestOf(tx, { tenantId, replyId, reason });
  if (end.end === 'later' && end.askedMs !== undefined) await noteWait(tx, chat, end.askedMs);
  if (toChatId !== fromChatId) {
    const move = { ...chat, fromChatId, toChatId };
    await migrateChat(deps, tx, move, { isHeld: true, waitMs: waitOf(end) });
  }
  if (end.end !== 'refused' || !end.blocksChat) return [];
  return await markBlocked(deps, tx, { ...chat, platformChatId: toChatId }, { reason, isHeld: true });
}
