import type { Log } from '../log/log.ts';
import type { Worker } from '../service/foundation.ts';

export interface PeriodicOptions {
  /** What is done, for the log. */
  name: string;
  everyMs: number;
  /** Gives up between two steps when `isStopped()`. */
  work(isStopped: () => boolean): Promise<void>;
  log: Log;
}

/** Does something every so often, never twice at a time; a failure is logged and left to the next time. */
export function createPeriodic({ name, everyMs, work, log }: PeriodicOptions): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  const run = () => {
    running ??= work(() => isStopped)
      .catch((error: unknown) => log.warn({ err: error, work: name }, 'periodic work failed'))
      .finally(() => {
        running = undefined;
      });
  };
  return {
    start: () => {
      timer = setInterval(run, everyMs).unref();
    },
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
