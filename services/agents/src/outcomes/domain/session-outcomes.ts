import { type SessionOutcome, sessionOutcomeNames } from '@botyard/contracts/http/session-outcomes';
import type { RowOf } from '@botyard/shared/db/typed-sql';
import type { factRow } from '../store/session-facts.ts';

/** Ages of a session in minutes. */
export const hour = 60;
export const day = 24 * hour;

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

/** Events of a session until an age. */
type SessionFacts = RowOf<typeof factRow>;

const decisions: Readonly<Record<SessionOutcome, (facts: SessionFacts) => boolean>> = {
  handed_over: ({ isHandedOver }) => isHandedOver,
  stopped: ({ isStopped }) => isStopped,
  repeated: ({ isRepeated }) => isRepeated,
  failed: ({ isFailed }) => isFailed,
  given_up: ({ isGivenUp }) => isGivenUp,
  resolved: ({ isAnsweredLast, isHandedOver, isStopped }) => isAnsweredLast && !isHandedOver && !isStopped,
  rated_up: ({ isRatedUp }) => isRatedUp,
  rated_down: ({ isRatedDown }) => isRatedDown,
};

/** Whether a session of that age has this outcome. */
export const hasOutcome = (outcome: SessionOutcome, facts: SessionFacts): boolean =>
  decisions[outcome](facts);

/** The outcomes that are decided for a session of that age in minutes; `factsUntil` tells its events until an age. */
export const decidedOutcomes = (
  ageMinutes: number,
  factsUntil: (minutes: number) => SessionFacts,
): SessionOutcome[] =>
  sessionOutcomeNames.filter(
    (outcome) =>
      minutesUntil[outcome] <= ageMinutes && hasOutcome(outcome, factsUntil(minutesUntil[outcome])),
  );
