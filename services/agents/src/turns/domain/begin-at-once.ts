import type { TenantTx } from '@botyard/shared/db/database';
import type { Room } from '@botyard/shared/work/room';
import { LRUCache } from 'lru-cache';
import { getTurnViews, type TurnView } from '../../answering/store/turn-view.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { type ArrivedMessage, enqueueMessages, isWhole } from '../store/enqueue.ts';

/** A claimed conversation, with the data that decides its turn if that was read together with the claim. */
export interface TurnToRun extends ClaimedConversation {
  view?: TurnView | undefined;
}

/** If a turn waits longer for its slot, this data is read again. */
const maxViewAgeMs = 250;

export const freshViewOf = ({ view, claimedAtMs }: TurnToRun): TurnView | undefined =>
  performance.now() - claimedAtMs < maxViewAgeMs ? view : undefined;

/** Turns that begin with the transaction that stores their messages. */
export interface ImmediateTurns {
  /** Returns `undefined` when this process currently has no room for more of the tenant's turns. */
  reserve(tenantId: string): Room<TurnToRun> | undefined;
  /** Bots whose last messages were ready immediately, because these bots don't join messages. */
  readyBots: LRUCache<string, true>;
}

const maxRememberedBots = 10_000;

export const createImmediateTurns = (reserve: ImmediateTurns['reserve']): ImmediateTurns => ({
  reserve,
  readyBots: new LRUCache({ max: maxRememberedBots }),
});

/**
 * Stores messages. If they are ready immediately and this process has room, it also claims their conversations and
 * reads the data that decides their turns, which start with the commit. The others wait for the worker's next claim.
 * All statements are sent to the database within the same tick as the call.
 */
export async function takeIn(
  deps: { immediateTurns: ImmediateTurns; wakeWorker(inMs?: number): void },
  tx: TenantTx,
  arrived: readonly ArrivedMessage[],
): Promise<void> {
  const { readyBots } = deps.immediateTurns;
  const rooms = reserveRooms(deps.immediateTurns, arrived);
  tx.afterFailure(() => {
    for (const { room, message } of rooms.values()) {
      // If the read failed, the next attempt stores the message without it.
      readyBots.delete(message.botId);
      room.giveBack();
    }
  });
  const [{ waitsMs, claimed, readyBotIds }, views] = await Promise.all([
    enqueueMessages(tx, arrived, new Set(rooms.keys())),
    readViews(tx, rooms),
  ]);
  tx.afterCommit(() => {
    for (const conversation of claimed) {
      const { conversationId } = conversation;
      rooms.get(conversationId)!.room.run({ ...conversation, view: views.get(conversationId) });
      rooms.delete(conversationId);
    }
    for (const { room } of rooms.values()) room.giveBack();
    for (const botId of readyBotIds) readyBots.set(botId, true);
    for (const waitMs of waitsMs) deps.wakeWorker(waitMs);
  });
}

interface Reserved {
  message: ArrivedMessage;
  room: Room<TurnToRun>;
}

function reserveRooms(
  { reserve, readyBots }: ImmediateTurns,
  arrived: readonly ArrivedMessage[],
): Map<string, Reserved> {
  const rooms = new Map<string, Reserved>();
  for (const message of arrived) {
    const { tenantId, botId, conversationId } = message;
    if (rooms.has(conversationId) || !(isWhole(message) || readyBots.has(botId))) continue;
    const room = reserve(tenantId);
    if (room) rooms.set(conversationId, { message, room });
  }
  return rooms;
}

async function readViews(tx: TenantTx, rooms: ReadonlyMap<string, Reserved>): Promise<Map<string, TurnView>> {
  if (rooms.size === 0) return new Map();
  const wanted = [...rooms.values()].map(({ message }) => message);
  const views = await getTurnViews(tx, wanted);
  return new Map(views.map((view, index) => [wanted[index]!.conversationId, view]));
}
