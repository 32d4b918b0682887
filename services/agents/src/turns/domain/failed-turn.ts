import { randomInt } from 'node:crypto';
import { maxAttempts } from '@botyard/shared/bus/dead-letters';
import { isLockConflict } from '@botyard/shared/db/failures';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { LeaseLost, QueueStopped } from '@botyard/shared/work/leased-queue/leased-queue';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';
import { isUnavailable } from './end-turn.ts';
import type { TurnRead } from './read-turn.ts';
import { type TurnEnd, unchecked } from './turn-end.ts';

const outageWaitMs = 1000;

/**
 * The end of a turn after an error. A turn with an internal fault is tried at most 6 times. An outage, a lock or a stop
 * doesn't count (REQ-REL-5).
 */
export function endAfterFault(
  { log, config }: Pick<Deps, 'log' | 'config'>,
  conversation: ClaimedConversation,
  turn: TurnRead | undefined,
  error: unknown,
): TurnEnd {
  if (error instanceof QueueStopped || error instanceof LeaseLost) return { kind: 'postponed', waitMs: 0 };
  if (isUnavailable(error) || isLockConflict(error)) return { kind: 'postponed', waitMs: outageWaitMs };
  const failures = conversation.failures + 1;
  const fault = withoutSecrets(String(error)).slice(0, 1000);
  if (!turn?.messages.length || failures < maxAttempts) {
    log.error({ err: error, failures }, 'a turn failed');
    return { kind: 'postponed', waitMs: retryWaitMs(config.AGENTS_RETRY_BASE_MS, failures), fault };
  }
  log.error({ err: error, messageId: turn.messages[0]?.messageId }, 'a message is dead');
  return { kind: 'dead', turn: unchecked(turn.messages), reason: fault, tries: failures };
}

/** Doubles, with jitter. All the waits of a message together stay under a minute (P8). */
function retryWaitMs(baseMs: number, failures: number): number {
  const ceiling = baseMs * 2 ** (failures - 1);
  return randomInt(Math.ceil(ceiling / 2), ceiling + 1);
}
