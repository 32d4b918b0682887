import { withTenant } from '@botyard/shared/db/database';
import { type Cancellation, getCancellation } from '../../conversations/store/chat-states.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { isNotice } from '../../conversations/store/notice-positions.ts';
import { GivenUp } from '../../models/domain/given-up.ts';
import type { Deps } from '../deps.ts';

const lookEveryMs = 1000;

/**
 * The reason why these messages are no longer answered; `undefined` if they are. Later messages are answered as usual.
 * So are notices: the person requested something and gets the result.
 */
export function whyCancelled(
  turn: readonly SaidRow[],
  { stoppedSeq, blockedAt }: Cancellation,
): string | undefined {
  const last = turn.at(-1);
  if (!last) return undefined;
  if (stoppedSeq !== null && last.seq < stoppedSeq && !isNotice(last)) return 'the person asked to stop';
  if (blockedAt && last.receivedAt <= blockedAt) return 'the chat takes no messages';
  return undefined;
}

/** Aborts its signal with `GivenUp` when the turn needn't be answered any more, since a model call can take minutes. */
export function watchForCancellation(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  { tenantId, conversationId, fence }: ClaimedConversation,
  turn: readonly SaidRow[],
): { signal: AbortSignal; end(): void } {
  const watching = new AbortController();
  const look = async () => {
    const cancellation = await withTenant(database, [tenantId], (tx) =>
      getCancellation(tx, { tenantId, conversationId }),
    );
    const isMuted = cancellation.mutedFence !== null && cancellation.mutedFence >= fence;
    const why = isMuted ? 'a person has taken the chat over' : whyCancelled(turn, cancellation);
    if (why) watching.abort(new GivenUp(why));
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) =>
      log.debug({ err: error }, 'could not read whether the turn is cancelled'),
    );
  }, lookEveryMs);
  return { signal: watching.signal, end: () => clearInterval(timer) };
}
