import type { SaidRow } from '../../conversations/store/messages.ts';
import { isNotice } from '../../external-tools/store/notices.ts';
import { albumWindowMs } from '../store/enqueue.ts';

type Waiting = Omit<SaidRow, 'quote'>;

/**
 * Messages that are answered together: the first that waits and, where joining is on, those that followed each within
 * the join window, be they text or something that can't be read; an album in any case. A command stands alone, and so
 * does a notice. Empty when nothing waits. A message that comes after its place was passed is answered next.
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
  if (isNotice(next)) return false;
  const apartMs = next.receivedAt.getTime() - last.receivedAt.getTime();
  if (last.albumId && last.albumId === next.albumId) return apartMs <= Math.max(joinWindowMs, albumWindowMs);
  return joinWindowMs > 0 && apartMs <= joinWindowMs;
}
