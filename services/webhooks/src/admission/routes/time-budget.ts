import { answerError } from '@botyard/shared/http/error-handler';
import { unavailable } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import type { RequestHandler, Response } from 'express';

/** The time that handling a delivery may take before it is answered with 503. Receiving the body doesn't count. */
export interface TimeBudget {
  /** Mounted before all handlers that may wait. */
  start: RequestHandler;
  /** Mounted before and after the body is read. */
  pause: RequestHandler;
  resume: RequestHandler;
  /** Wraps a handler. Its result or failure is ignored once the delivery has been answered. */
  within(handler: RequestHandler): RequestHandler;
}

interface Clock {
  leftMs: number;
  startedAt: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Answers with 503 when the budget is used up. If the delivery is admitted after that, its repetition by the platform
 * is a duplicate, so no answer is wrong.
 */
export function createTimeBudget(budgetMs: number, log: Log): TimeBudget {
  const clocks = new WeakMap<Response, Clock>();
  const run = (res: Response, clock: Clock) => {
    clock.startedAt = performance.now();
    clock.timer = setTimeout(() => {
      if (!res.headersSent) answerError(log, unavailable('the delivery could not be admitted in time'), res);
    }, clock.leftMs);
  };
  const stop = (clock: Clock) => clearTimeout(clock.timer);
  return {
    start: (_req, res, next) => {
      const clock = { leftMs: budgetMs, startedAt: 0, timer: undefined };
      clocks.set(res, clock);
      res.once('close', () => stop(clock));
      run(res, clock);
      next();
    },
    pause: (_req, res, next) => {
      const clock = clocks.get(res);
      if (clock) {
        stop(clock);
        clock.leftMs = Math.max(0, clock.leftMs - (performance.now() - clock.startedAt));
      }
      if (!res.headersSent) next();
    },
    resume: (_req, res, next) => {
      const clock = clocks.get(res);
      if (clock) run(res, clock);
      next();
    },
    within: (handler) => async (req, res, next) => {
      try {
        await handler(req, res, next);
      } catch (error) {
        if (!res.headersSent) throw error;
        log.debug({ err: error }, 'a delivery failed after it was answered');
      }
    },
  };
}
