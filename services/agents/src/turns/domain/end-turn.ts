import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { maxAttempts } from '@botyard/shared/bus/dead-letters';
import { isLockConflict, isUniqueViolation } from '@botyard/shared/db/failures';
import { isUnavailable } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { LeaseLost, QueueStopped } from '@botyard/shared/work/leased-queue/leased-queue';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { withinBounds } from '../../recordings/domain/turn-recording.ts';
import type { Deps } from '../deps.ts';
import { type RecordingColumns, rowsOf } from './end-rows.ts';
import type { WholeEnd } from './shared-turns.ts';
import type { TurnEnd } from './turn-end.ts';

type EndDeps = Pick<Deps, 'turnEnds' | 'turnViews' | 'outbox' | 'wakeWorker' | 'log' | 'recordingKeys'>;

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
  const recording = await sealRecording(deps, conversation, end);
  for (let tries = 1; ; tries += 1) {
    try {
      return await write(deps, rowsOf(deps, conversation, end, recording));
    } catch (error) {
      if (tries >= maxTries) throw error;
      if (isUniqueViolation(error, 'messages_in_order')) {
        // A reply that was sent again meanwhile has the position that was read at the turn's beginning.
        const { nextReplySeq } = await deps.turnViews.run(conversation);
        conversation.nextReplySeq = nextReplySeq ?? conversation.nextReplySeq;
      } else if (isUnavailable(error)) await pause(pauseMs, undefined, { signal });
      else throw error;
    }
  }
}

async function write({ turnEnds, outbox, wakeWorker, log }: EndDeps, end: WholeEnd): Promise<void> {
  const ended = await turnEnds.run(end);
  const { conversationId } = end.conversation;
  if (!ended) return log.warn({ conversationId }, 'another worker has the conversation');
  outbox.publish(ended.isSilenced ? end.eventsIfSilenced : end.events);
  if (ended.isReady) wakeWorker(end.row.waitMs ?? 0);
}

/** The identifier of a turn, and what its answer used, sealed. */
async function sealRecording(
  { recordingKeys }: EndDeps,
  conversation: ClaimedConversation,
  end: TurnEnd,
): Promise<RecordingColumns> {
  const turnId = conversation.newId();
  if (end.kind !== 'reply') return { turnId };
  const { used, durationMs } = end.answer;
  if (used === null || (used.calls.length + used.passages.length === 0 && used.question === null))
    return { turnId };
  const now = new Date(conversation.nowMs() - durationMs).toISOString();
  const sealed = await recordingKeys.seal(conversation.tenantId, turnId, withinBounds(used, now));
  const { keyId: recordingKeyId, sealedKey, sealedRecording } = sealed;
  return { turnId, recordingKeyId, sealedKey, sealedRecording };
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
  const reason = withoutSecrets(String(error)).slice(0, 1000);
  if (messages.length === 0 || failures < maxAttempts) {
    log.error({ err: error, failures }, 'a turn failed');
    return { kind: 'postponed', waitMs: retryWaitMs(config.AGENTS_RETRY_BASE_MS, failures), reason };
  }
  log.error({ err: error, messageId: messages[0]?.messageId }, 'a message is dead');
  return { kind: 'dead', messages, reason, tries: failures };
}

/** Doubles, with jitter. All the waits of a message together stay under a minute (P8). */
function retryWaitMs(baseMs: number, failures: number): number {
  const ceiling = baseMs * 2 ** (failures - 1);
  return randomInt(Math.ceil(ceiling / 2), ceiling + 1);
}
