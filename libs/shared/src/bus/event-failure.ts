import { isConnectionFailure, isLockConflict } from '../db/failures.ts';
import { isUnavailable } from '../http/errors.ts';
import { withoutSecrets } from '../log/without-secrets.ts';

/**
 * Whether the failure has nothing to do with the event itself. Such an event is retried forever, and no attempt is
 * counted.
 */
export const isOutage = (error: unknown): boolean =>
  isConnectionFailure(error) || isLockConflict(error) || isUnavailable(error);

/** The stored text of a failure. */
export const textOf = (error: unknown): string => withoutSecrets(String(error)).slice(0, 1000);
