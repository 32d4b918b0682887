import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface LoadThread<Result> {
  /** Ends the thread's work, and returns its result. */
  stop(): Promise<Result>;
}

/** Starts a load in a thread of its own, so that its cost isn't in the waits that this thread measures. */
export function startThread<Result>(file: URL, work: object): LoadThread<Result> {
  const thread = new Worker(file, { workerData: work });
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  thread.on('message', resolve).on('error', reject);
  promise.catch(() => undefined);
  return {
    stop: async () => {
      thread.postMessage('stop');
      try {
        return await promise;
      } finally {
        await thread.terminate();
      }
    },
  };
}

/** Runs in the thread: works until the signal is aborted, and returns the result then. */
export async function runInThread<Work, Result>(
  run: (work: Work, signal: AbortSignal) => Promise<Result>,
): Promise<void> {
  const ending = new AbortController();
  parentPort!.once('message', () => ending.abort());
  parentPort!.postMessage(await run(workerData as Work, ending.signal));
}
