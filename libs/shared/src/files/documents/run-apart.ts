import { Worker } from 'node:worker_threads';
import { Unreadable } from './sections.ts';

export interface ReadingLimits {
  timeoutMs: number;
  /** Of the thread's own heap, and of the buffers beside it, each. */
  mostMegabytes: number;
}

const lookEveryMs = 50;
type Found<Result> = { found: Result } | { fault: string };

/**
 * Reads a document in a thread of its own, within these limits: `thread` is the file that it runs, with `workerData` of
 * `given`. A hostile document (a bomb of compressed bytes, nesting without end) ends that thread, and nothing else.
 * @throws Unreadable, and the signal's reason when it is aborted.
 */
export async function runApart<Result>(
  thread: URL,
  given: Record<string, unknown>,
  { signal, limits }: { signal: AbortSignal; limits: ReadingLimits },
): Promise<Result> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Found<Result>>();
  const refuse = (reason: string) => reject(new Unreadable(reason));
  const worker = new Worker(thread, {
    workerData: given,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.mostMegabytes,
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4,
    },
    stdout: true,
    stderr: true,
  });
  const deadline = setTimeout(() => refuse('The document takes too long to be read.'), limits.timeoutMs);
  const watch = watchBuffers(worker, limits, () => refuse('The document needs too much memory to be read.'));
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  worker.once('message', resolve);
  worker.once('error', (error) => refuse(reasonOf(error)));
  worker.once('exit', () => refuse('The document could not be read.'));
  try {
    const outcome = await promise;
    if ('fault' in outcome) throw new Unreadable(outcome.fault);
    return outcome.found;
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** The thread's limits are about its heap; what a bomb inflates to is beside it. */
function watchBuffers(thread: Worker, { mostMegabytes }: ReadingLimits, onExcess: () => void) {
  const mostBytes = mostMegabytes * 1024 * 1024;
  return setInterval(() => {
    thread.getHeapStatistics().then(
      ({ external_memory }) => external_memory > mostBytes && onExcess(),
      () => undefined,
    );
  }, lookEveryMs);
}

function reasonOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'The document needs too much memory to be read.';
  return name === 'RangeError' ? 'The document is too deeply nested.' : 'The document could not be read.';
}
