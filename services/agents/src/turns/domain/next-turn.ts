import type { SaidRow } from '../../conversations/store/messages.ts';
import { isNotice } from '../../conversations/store/notice-positions.ts';
import { albumWindowMs } from '../../intake/store/enqueue.ts';

type Waiting = Omit<SaidRow, 'quote'>;

/**
 * The messages to answer together: the first pending one and, if joining is on, those that followed within the join
 * window, readable or not. Messages of an album are always joined. Commands and notices are never joined.
 *
 * Empty if nothing is pending. A message that arrives after its position was passed is answered next.
 */
export function nextTurn<Message extends Waiting>(
  queued: readonly Message[],
  joinWindowMs: number,
): Message[] {
  const [first] = queued;
  if (!first) return [];
  const turn = [first];
  for (const message of queued.slice(1)) {
    const last = turn.at(-1)!;
    if (!isJoined(last, message, joinWindowMs)) break;
    turn.push(message);
  }
  return turn;
}

function isJoined(last: Waiting, next: Waiting, joinWindowMs: number): boolean {
  if (last.command !== null || next.command !== null || next.seq !== last.seq + 1) return false;
  if (isNotice(next) || last.automaticReason !== null || next.automaticReason !== null) return false;
  const apartMs = next.receivedAt.getTime() - last.receivedAt.getTime();
  if (last.albumId && last.albumId === next.albumId) return apartMs <= Math.max(joinWindowMs, albumWindowMs);
  return joinWindowMs > 0 && apartMs <= joinWindowMs;
}
