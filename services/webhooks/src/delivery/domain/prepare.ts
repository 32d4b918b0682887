import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Paces, Platform } from '../../platforms/platform.ts';
import type { SendDeps } from '../deps.ts';
import { type BotPace, lockBotPaces, saveBotPaces } from '../store/bot-paces.ts';
import {
  type ClaimedChat,
  type LockedChat,
  lockHeldChats,
  type NextOfChat,
  saveChats,
} from '../store/chats.ts';
import { beginParts, listFirstParts, type WaitingPart } from '../store/parts.ts';
import { botTurn, waitMs } from './pace.ts';
import type { BegunPart } from './send.ts';

/** The next thing in a chat: a send that has begun, a wait, or nothing. Or the chat was lost to another process. */
export type Prepared = BegunPart | { waitMs: number } | 'empty' | 'lost';

interface PrepareDeps extends Pick<SendDeps, 'database' | 'journal'> {
  paces: Platform['paces'];
}

/**
 * Begins the next send in each of these chats, in one transaction, as far as their paces and those of their bots allow
 * it. The other chats are released. Returns what is next, in the order of the chats.
 */
export async function prepareSends(deps: PrepareDeps, chats: readonly ClaimedChat[]): Promise<Prepared[]> {
  const tenantIds = [...new Set(chats.map(({ tenantId }) => tenantId))];
  return await withTenant(deps.database, tenantIds, (tx) => prepareWithin(deps, tx, chats), {
    plansOnce: true,
  });
}

async function prepareWithin(
  { journal, paces }: PrepareDeps,
  tx: TenantTx,
  chats: readonly ClaimedChat[],
): Promise<Prepared[]> {
  const [held, parts, botPaces] = await Promise.all([
    lockHeldChats(tx, chats),
    listFirstParts(tx, chats),
    paces ? lockBotPaces(tx, chats) : new Map<string, BotPace>(),
  ]);
  const bots = new Map<string, BotTurns>();
  const nexts = chats.map((chat): Next => {
    const locked = held.get(chat.fence);
    const part = parts.get(chat.fence);
    if (!locked) return { prepared: 'lost' };
    if (!part) return { prepared: 'empty', chat: released(chat, null) };
    if (part.wasBegun && journal.isUnmade(part.partId, part.sends)) return repeated(chat, part);
    const bot = bots.get(chat.botId) ?? new BotTurns(chat, botPaces.get(chat.botId));
    bots.set(chat.botId, bot);
    return nextOf(chat, { locked, part, bot, paces, isClosing: journal.isClosing });
  });
  const begins = nexts.flatMap(({ begins }) => begins ?? []);
  tx.afterFailure((mayBeCommitted) => {
    if (mayBeCommitted) for (const { partId, send } of begins) journal.noteUnmade(partId, send);
  });
  tx.endsHere();
  await Promise.all([
    beginParts(tx, begins),
    saveChats(
      tx,
      nexts.flatMap(({ chat }) => chat ?? []),
    ),
    saveBotPaces(
      tx,
      [...bots.values()].flatMap((bot) => bot.changes),
    ),
  ]);
  return nexts.map(({ prepared }) => prepared);
}

interface Next {
  prepared: Prepared;
  chat?: NextOfChat;
  begins?: Parameters<typeof beginParts>[1][number];
}

const released = (chat: ClaimedChat, forMs: number | null, isBooked = false): NextOfChat => ({
  chat,
  isKept: false,
  waitMs: forMs,
  isBooked,
  paceMs: 0,
});

const kept = (chat: ClaimedChat, paceMs: number): NextOfChat => ({
  chat,
  isKept: true,
  waitMs: null,
  isBooked: false,
  paceMs,
});

/** A send that this process has begun in a commit that was never confirmed. It was not made, and is counted already. */
function repeated(chat: ClaimedChat, part: WaitingPart): Next {
  const openSends = Math.max(1, part.openSends) - 1;
  return { prepared: { chat, part, send: part.sends, openSends }, chat: kept(chat, 0) };
}

interface Situation {
  locked: LockedChat;
  part: WaitingPart;
  bot: BotTurns;
  paces: Paces | undefined;
  /** The process is stopping, and another one continues with the chat. */
  isClosing: boolean;
}

function nextOf(chat: ClaimedChat, { locked, part, bot, paces, isClosing }: Situation): Next {
  const intervalMs = paces?.chatIntervalMs(chat.platformChatId) ?? 0;
  const forMs = paces ? waitMs({ intervalMs, burst: paces.chatBurst }, locked.aheadMs) : 0;
  if (forMs > 0 || isClosing) return { prepared: { waitMs: forMs }, chat: released(chat, forMs) };
  const turn = paces && bot.take(paces.bot, locked);
  if (turn && turn.waitMs > 0)
    return { prepared: { waitMs: turn.waitMs }, chat: released(chat, turn.waitMs, turn.isBooked) };
  const { tenantId } = chat;
  const { partId } = part;
  const send = part.sends + 1;
  const openSends = part.wasBegun ? Math.max(1, part.openSends) : part.openSends;
  return {
    prepared: { chat, part, send, openSends },
    chat: kept(chat, intervalMs),
    begins: { tenantId, partId, send, openSends: openSends + 1, isUncertain: part.wasBegun },
  };
}

/** The turns of a bot's chats in one transaction, which has locked the bot's pace. */
class BotTurns {
  readonly #bot: Pick<ClaimedChat, 'tenantId' | 'botId'>;
  readonly #pace: BotPace;
  #addedMs = 0;
  #bookedMs: number | null = null;

  constructor({ tenantId, botId }: ClaimedChat, pace: BotPace = { aheadMs: 0, bookedMs: 0 }) {
    this.#bot = { tenantId, botId };
    this.#pace = { ...pace };
  }

  /** Lets a chat send, or books the bot's next slot for it. */
  take(pace: Paces['bot'], chat: LockedChat): ReturnType<typeof botTurn> {
    const turn = botTurn(pace, this.#pace, chat);
    if (turn.waitMs === 0) {
      this.#addedMs += pace.intervalMs;
      this.#pace.aheadMs += pace.intervalMs;
    } else if (turn.isBooked && !chat.isBooked) {
      this.#bookedMs = turn.waitMs + pace.intervalMs;
      this.#pace.bookedMs = this.#bookedMs;
    }
    return turn;
  }

  /** The change of its pace, if it has one. */
  get changes(): Parameters<typeof saveBotPaces>[1] {
    if (this.#addedMs === 0 && this.#bookedMs === null) return [];
    return [{ ...this.#bot, addedMs: this.#addedMs, bookedMs: this.#bookedMs }];
  }
}
