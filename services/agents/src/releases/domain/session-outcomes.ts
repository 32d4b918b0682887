import type { SessionOutcome } from '@botyard/contracts/http/definitions-agent-releases';
import type { FinishedSessionRow } from '../store/finished-sessions.ts';

const [hour, day] = [60, 24 * 60];

/**
 * The age in minutes at which a session's outcome is decided, the same for both versions. Later events don't count.
 */
export const minutesUntil: Readonly<Record<SessionOutcome, number>> = {
  handed_over: hour,
  stopped: hour,
  repeated: hour,
  failed: hour,
  given_up: day,
  resolved: day,
  rated_up: day,
  rated_down: day,
};

type Facts = Omit<FinishedSessionRow, 'sessionId' | 'beganAt' | 'isCandidate'>;

const decisions: Readonly<Record<SessionOutcome, (facts: Facts) => boolean>> = {
  handed_over: ({ isHandedOver }) => isHandedOver,
  stopped: ({ isStopped }) => isStopped,
  repeated: ({ isRepeated }) => isRepeated,
  failed: ({ isFailed }) => isFailed,
  given_up: ({ isGivenUp }) => isGivenUp,
  resolved: ({ isAnsweredLast, isHandedOver, isStopped }) => isAnsweredLast && !isHandedOver && !isStopped,
  // No platform reports ratings.
  rated_up: () => false,
  rated_down: () => false,
};

/** Whether a session of that age has this outcome. */
export const hasOutcome = (outcome: SessionOutcome, facts: Facts): boolean => decisions[outcome](facts);
