import { platformChatIdOf } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import type { Paces } from '../../platforms/domain/paces.ts';
import type { SendDeps } from '../deps.ts';
import { type BotPace, lockBotPaces, paceKeyOf, saveBotPaces } from '../store/bot-paces.ts';
import { type ClaimedChat, lockHeldChats, type NextOfChat, saveChats } from '../store/chats.ts';
import { type BegunSend, beginParts, listFirstParts, type WaitingPart } from '../store/parts.ts';
import { takeTurn } from './pace.ts';
import type { Prepared } from './send.ts';
import type { SendJournal } from './send-journal.ts';

interface PrepareDeps extends Pick<SendDeps, 'database' | 'heartbeat' | 'journal'> {
  paces: Paces | undefined;
}

/**
 * Begins the next send in each of these chats, in one transaction, as far as their paces and those of their bots allow
 * it. The other chats are released. Returns what is next, in the order of the chats.
 */
export async function prepareSends(
  { database, heartbeat: { processId }, journal, paces }: PrepareDeps,
  chats: readonly ClaimedChat[],
): Promise<Prepared[]> {
  const tenantIds = [...new Set(chats.map(({ tenantId }) => tenantId))];
  return await withTenant(
    database,
    tenantIds,
    async (tx) => {
      const [held, parts, bots] = await Promise.all([
        lockHeldChats(tx, chats),
        listFirstParts(tx, chats),
        lockBotPaces(tx, paces ? chats : []),
      ]);
      const steps = chats.map((chat): Partial<Step> => {
        const locked = held.get(chat.fence);
        const part = parts.get(chat.fence);
        return locked
          ? stepOf(chat, { ...locked, part, bot: bots.get(paceKeyOf(chat)), paces, journal })
          : {};
      });
      const begun = steps.flatMap(({ begun: send }) => send ?? []);
      tx.afterFailure((mayBeCommitted) => {
        if (mayBeCommitted) for (const { partId, send } of begun) journal.noteUnmade(partId, send);
      });
      tx.endsHere();
      const saved = steps.flatMap(({ chat }) => chat ?? []);
      await Promise.all([
        beginParts(tx, begun),
        saveChats(tx, processId, saved),
        saveBotPaces(tx, bots.values()),
      ]);
      return steps.map(({ prepared = 'lost' }) => prepared);
    },
    { plansOnce: true },
  );
}

/** A locked chat, and what decides its next step. */
interface Situation {
  /** How far its pace is ahead of the current time. */
  aheadMs: number;
  isBooked: boolean;
  /** The first part that waits in it. */
  part: WaitingPart | undefined;
  /** The pace of its bot, which the step may change; `undefined` if the platform has no paces. */
  bot: BotPace | undefined;
  paces: Paces | undefined;
  journal: Pick<SendJournal, 'isClosing' | 'isUnmade'>;
}

export interface Step {
  prepared: Prepared;
  /** The chat's next state. */
  chat: NextOfChat;
  begun?: BegunSend;
}

/** The next step in a chat, in the first of these cases that applies. */
export function stepOf(chat: ClaimedChat, situation: Situation): Step {
  const { part, bot, paces, journal } = situation;
  const released = { ...chat, isKept: false, isBooked: false, paceMs: 0 };
  if (!part) return { prepared: 'empty', chat: { ...released, waitMs: null } };
  const { partId, sends, wasBegun } = part;
  const openSends = wasBegun ? Math.max(1, part.openSends) : part.openSends;
  const kept = { ...released, isKept: true, waitMs: null };
  // A send that this process has begun in a commit that was never confirmed: it was not made, and is counted already.
  if (wasBegun && journal.isUnmade(partId, sends))
    return { prepared: { chat, part, send: sends, openSends: openSends - 1 }, chat: kept };
  // The process is stopping, and another one continues with the chat.
  if (journal.isClosing) return { prepared: { waitMs: 0 }, chat: { ...released, waitMs: 0 } };
  const { tenantId, platform, chatKey } = chat;
  const platformChatId = platformChatIdOf(platform, chatKey);
  const turn = paces && bot && takeTurn(paces, bot, { ...situation, platformChatId });
  if (turn && turn.waitMs > 0) return { prepared: { waitMs: turn.waitMs }, chat: { ...released, ...turn } };
  const send = sends + 1;
  return {
    prepared: { chat, part, send, openSends },
    chat: { ...kept, paceMs: paces?.chatIntervalMs(platformChatId) ?? 0 },
    begun: { tenantId, partId, send, openSends: openSends + 1, isUncertain: wasBegun },
  };
}
