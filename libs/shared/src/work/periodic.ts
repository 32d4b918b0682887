import type { Log } from '../log/log.ts';
import type { Worker } from './worker.ts';

interface PeriodicOptions {
  /** The work's name, for the log. */
  name: string;
  everyMs: number;
  /** Gives up between two steps when `isStopped()`. */
  work(isStopped: () => boolean): Promise<void>;
  log: Log;
}

export interface Periodic extends Worker {
  /** Does it now, unless it is being done. */
  wake(): void;
}

/** Begun together, they would all work at the same moments, and each need a connection of its own then. */
const apartMs = 130;
const apartWithinMs = 1000;
let begun = 0;

/**
 * Does something every so often, never twice at a time; a failure is left to the next time, and each cause logged once.
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
