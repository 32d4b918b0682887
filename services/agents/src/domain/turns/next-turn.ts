import type { MessageRow } from '../../store/messages.ts';

/** How long those behind a gap wait for what is missing: it is lost when it isn't there by then (P8: 60 s). */
const longestGapMs = 45_000;

/**
 * What is answered together: the first message that waits and, where joining is on, the text that followed each within
 * the join window. A command or something that can't be read stands alone. `undefined` while the next one is missing;
 * empty when nothing waits. A message that comes after its place was passed is answered next.
 */
export function nextTurn<Message extends MessageRow>(
  queued: readonly Message[],
  position: { nextSeq: number; nowMs: number },
  joinWindowMs: number,
): Message[] | undefined {
  const [first] = queued;
  if (!first) return [];
  const isGap = first.seq > position.nextSeq;
  if (isGap && position.nowMs - first.createdAt.getTime() < longestGapMs) return undefined;
  const turn = [first];
  for (const message of queued.slice(1)) {
    const last = turn.at(-1)!;
    if (!isPlain(first) || !isPlain(message) || message.seq !== last.seq + 1) break;
    if (message.receivedAt.getTime() - last.receivedAt.getTime() > joinWindowMs || joinWindowMs === 0) break;
    turn.push(message);
  }
  return turn;
}

const isPlain = ({ command, content }: MessageRow): boolean => command === null && content === 'text';
