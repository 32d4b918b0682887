import type { Log } from '../log/log.ts';
import type { Worker } from './worker.ts';

interface PeriodicOptions {
  /** The work's name, for the log. */
  name: string;
  everyMs: number;
  /** Returns early, between two steps, if `isStopped()`. */
  work(isStopped: () => boolean): Promise<void>;
  log: Log;
}

export interface Periodic extends Worker {
  /** Runs the work now, unless it is running. */
  wake(): void;
}

/**
 * Offset between works that start together: otherwise all would run at the same moments, and each would need its own
 * connection.
 */
const apartMs = 130;
const apartWithinMs = 1000;
let begun = 0;

/**
 * Runs work periodically, never twice at a time. A failed run is retried at the next interval, and each cause is
 * logged once.
 */
export function createPeriodic({ name, everyMs, work, log }: PeriodicOptions): Periodic {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let failures = 0;
  let lastReason: string | undefined;
  const succeeded = () => {
    if (failures > 0) log.info({ work: name, failures }, 'periodic work goes on');
    failures = 0;
    lastReason = undefined;
  };
  const failed = (error: unknown) => {
    failures += 1;
    const reason = String(error);
    if (reason !== lastReason) log.warn({ err: error, work: name, failures }, 'periodic work failed');
    lastReason = reason;
  };
  const run = () => {
    running ??= work(() => isStopped)
      .then(succeeded, failed)
      .finally(() => {
        running = undefined;
      });
  };
  return {
    start: () => {
      begun += 1;
      const begin = () => {
        run();
        timer = setInterval(run, everyMs).unref();
      };
      timer = setTimeout(begin, everyMs + ((begun * apartMs) % Math.min(apartWithinMs, everyMs))).unref();
    },
    wake: () => {
      if (!isStopped) run();
    },
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
