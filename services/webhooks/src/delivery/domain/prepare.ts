import { platformChatIdOf } from '@botyard/contracts/http/platform';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { QueueDeps, SendDeps } from '../deps.ts';
import { type ClaimedChat, type NextOfChat, saveChats } from '../store/chats.ts';
import { type LockedChat, lockPacedChats } from '../store/locked-chats.ts';
import { type BegunSend, beginParts, listFirstParts, type WaitingPart } from '../store/parts.ts';
import { takeTurn } from './pace.ts';
import type { Prepared } from './send.ts';

type PrepareDeps = Pick<SendDeps, 'database' | 'heartbeat' | 'journal' | 'platforms'>;

/**
 * Begins the next send in each of these chats, in one transaction, as far as their paces and those of their bots allow
 * it. The other chats are released. Returns what is next, in the order of the chats.
 */
export async function prepareSends(deps: PrepareDeps, chats: readonly ClaimedChat[]): Promise<Prepared[]> {
  const tenantIds = chats.map(({ tenantId }) => tenantId);
  const prepare = async (tx: TenantTx): Promise<Prepared[]> => {
    const [held, parts] = await Promise.all([lockPacedChats(tx, chats), listFirstParts(tx, chats)]);
    const steps = chats.map((chat) => {
      const locked = held.get(chat.fence);
      return locked && stepOf(deps, { ...chat, ...locked }, parts.get(chat.fence));
    });
    const taken = steps.filter((step) => step !== undefined);
    const begun = taken.flatMap((step) => step.begun ?? []);
    tx.endsHere();
    await Promise.all([beginParts(tx, begun), saveSteps(deps, tx, taken)]);
    return steps.map((step) => step?.prepared ?? 'lost');
  };
  return await withTenant(deps.database, tenantIds, prepare, { plansOnce: true });
}

export interface Step {
  prepared: Prepared;
  /** The chat's next state. */
  chat: NextOfChat;
  begun?: BegunSend;
}

/**
 * The next step in a locked chat, in the first of these cases that applies. `part` is the first one that waits. The
 * step changes the pace of the chat's bot.
 */
export function stepOf(
  { journal, platforms }: Pick<QueueDeps, 'journal' | 'platforms'>,
  { aheadMs, isBooked, ...chat }: ClaimedChat & LockedChat,
  part: WaitingPart | undefined,
): Step {
  const released = { ...chat, isKept: false, isBooked: false, paceMs: 0 };
  if (!part) return { prepared: 'empty', chat: { ...released, waitMs: null } };
  const { partId, sends, wasBegun } = part;
  const openSends = wasBegun ? Math.max(1, part.openSends) : part.openSends;
  const kept = { ...released, isKept: true, waitMs: null };
  // A send that this process has begun in a commit that was never confirmed: it was not made, and is counted already.
  if (wasBegun && journal.unmade.get(partId) === sends)
    return { prepared: { chat, part, send: sends, openSends: openSends - 1 }, chat: kept };
  // The process is stopping, and another one continues with the chat.
  if (journal.isClosing) return { prepared: { waitMs: 0 }, chat: { ...released, waitMs: 0 } };
  const { tenantId, platform, chatKey } = chat;
  const { paces } = platforms[platform];
  const platformChatId = platformChatIdOf(platform, chatKey);
  const turn = paces && takeTurn(paces, chat.bot, { platformChatId, aheadMs, isBooked });
  if (turn && turn.waitMs > 0) return { prepared: { waitMs: turn.waitMs }, chat: { ...released, ...turn } };
  const send = sends + 1;
  return {
    prepared: { chat, part, send, openSends },
    chat: { ...kept, paceMs: paces?.chatIntervalMs(platformChatId) ?? 0 },
    begun: { tenantId, partId, send, openSends: openSends + 1, isUncertain: wasBegun },
  };
}

/** Saves steps, apart from their parts. If the transaction fails, no send was made that it may have begun. */
export async function saveSteps(
  { heartbeat, journal }: Pick<QueueDeps, 'heartbeat' | 'journal'>,
  tx: TenantTx,
  steps: readonly Step[],
): Promise<void> {
  tx.afterFailure((mayBeCommitted) => {
    if (mayBeCommitted)
      for (const { begun } of steps) if (begun) journal.unmade.set(begun.partId, begun.send);
  });
  const chats = steps.map(({ chat }) => chat);
  await saveChats(tx, chats, heartbeat.processId);
}
