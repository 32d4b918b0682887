import { parentPort } from 'node:worker_threads';
import { Unreadable } from './sections.ts';

/** The end of a thread that `runApart` began: tells it what was found, or why nothing can be read. */
export function report(reading: Promise<unknown>): void {
  reading.then(
    (found) => parentPort?.postMessage({ found }),
    (error: unknown) => {
      if (error instanceof Unreadable) parentPort?.postMessage({ fault: error.message });
      else throw error;
    },
  );
}
