import { setTimeout as pause } from 'node:timers/promises';
import { isConnectionFailure, isContention } from '@botyard/shared/db/failures';
import { createCountedWarning } from '@botyard/shared/log/counted-warning';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Deps } from '../../deps.ts';

const pauseMs = 200;

/**
 * Writes the outcome of a call, and tries again as long as the database is away or busy: only this process knows the
 * outcome, and any other would report it as unknown. @throws the failure of the last attempt once the signal is
 * aborted.
 */
export async function untilWritten<Result>(
  { log }: Pick<Deps, 'log'>,
  write: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const warn = createCountedWarning(log, 'the outcome of a tool call could not be written yet');
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || !(isConnectionFailure(error) || isContention(error))) throw error;
      warn(withoutSecrets(String(error)));
      await pause(pauseMs);
    }
  }
}
