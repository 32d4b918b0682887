import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { maxAttempts } from '@botyard/shared/bus/dead-letters';
import { withTenant } from '@botyard/shared/db/database';
import { isLockConflict, isUniqueViolation } from '@botyard/shared/db/failures';
import { isUnavailable } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { LeaseLost, QueueStopped } from '@botyard/shared/work/leased-queue/leased-queue';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { SealedRecording } from '../../recordings/domain/recording-keys.ts';
import { withinBounds } from '../../recordings/domain/turn-recording.ts';
import type { Deps } from '../deps.ts';
import { getNextReplySeq } from '../store/next-reply.ts';
import { newId, rowsOf } from './end-rows.ts';
import { type TurnEnd, unchecked } from './turn-end.ts';

type EndDeps = Pick<Deps, 'database' | 'turnEnds' | 'outbox' | 'wakeWorker' | 'log' | 'recordingKeys'>;

const maxTries = 8;
const pauseMs = 250;

/**
 * Writes how a turn ends and releases its conversation, together with other turns that end at the same moment. If the
 * fence is stale, nothing is written: the new holder's answer counts. A short outage of the database is waited out,
 * because the model's answer has been paid for.
 */
export async function endTurn(
  deps: EndDeps,
  conversation: ClaimedConversation,
  end: TurnEnd,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, conversationId } = conversation;
  const recording = await recordingOf(deps, conversation, end);
  for (let tries = 1; ; tries += 1) {
    try {
      const rows = rowsOf(deps, conversation, end, recording);
      const ended = await deps.turnEnds.run(rows);
      if (!ended) return deps.log.warn({ conversationId }, 'another worker has the conversation');
      deps.outbox.publish(ended.isSilenced ? rows.eventsIfSilenced : rows.events);
      if (ended.isReady) deps.wakeWorker(rows.waitMs ?? 0);
      return;
    } catch (error) {
      if (isUniqueViolation(error, 'messages_in_order')) {
        // A reply that was sent again meanwhile has the position that was read at the turn's beginning.
        const nextReplySeq = await withTenant(deps.database, [tenantId], (tx) =>
          getNextReplySeq(tx, { tenantId, conversationId }),
        );
        conversation.nextReplySeq = nextReplySeq ?? conversation.nextReplySeq;
      } else if (isUnavailable(error)) await pause(pauseMs, undefined, { signal });
      else throw error;
      if (tries >= maxTries) throw error;
    }
  }
}

/** Seals what an answer used; `null` if it used nothing. */
async function recordingOf(
  { recordingKeys }: Pick<Deps, 'recordingKeys'>,
  conversation: ClaimedConversation,
  end: TurnEnd,
): Promise<SealedRecording | null> {
  if (end.kind !== 'reply') return null;
  const { used, durationMs } = end.answer;
  if (used === null || (used.calls.length + used.passages.length === 0 && used.question === null))
    return null;
  const now = new Date(conversation.nowMs() - durationMs).toISOString();
  return await recordingKeys.seal(conversation.tenantId, newId(conversation), withinBounds(used, now));
}

const outageWaitMs = 1000;

/**
 * The end of a turn after an error. A turn with an internal fault is tried at most 6 times. An outage, a lock, a lost
 * lease or a stop doesn't count (REQ-REL-5).
 */
export function endAfterFault(
  { log, config }: Pick<Deps, 'log' | 'config'>,
  { failures: earlierFailures }: ClaimedConversation,
  messages: readonly SaidRow[],
  error: unknown,
): TurnEnd {
  if (error instanceof QueueStopped || error instanceof LeaseLost) return { kind: 'postponed', waitMs: 0 };
  if (isUnavailable(error) || isLockConflict(error)) return { kind: 'postponed', waitMs: outageWaitMs };
  const failures = earlierFailures + 1;
  const fault = withoutSecrets(String(error)).slice(0, 1000);
  if (messages.length === 0 || failures < maxAttempts) {
    log.error({ err: error, failures }, 'a turn failed');
    return { kind: 'postponed', waitMs: retryWaitMs(config.AGENTS_RETRY_BASE_MS, failures), fault };
  }
  log.error({ err: error, messageId: messages[0]?.messageId }, 'a message is dead');
  return { kind: 'dead', turn: unchecked(messages), reason: fault, tries: failures };
}

/** Doubles, with jitter. All the waits of a message together stay under a minute (P8). */
function retryWaitMs(baseMs: number, failures: number): number {
  const ceiling = baseMs * 2 ** (failures - 1);
  return randomInt(Math.ceil(ceiling / 2), ceiling + 1);
}
