import { Worker } from 'node:worker_threads';
import type { SourceType } from '@botyard/shared/contracts/context-sources';
import type { NewChunk } from '../../store/context/reading.ts';
import { Unreadable } from './sections.ts';

export interface ReadingLimits {
  timeoutMs: number;
  /** Of the thread's own heap, and of the buffers beside it, each. */
  mostMegabytes: number;
}

export const readingLimits: ReadingLimits = { timeoutMs: 20_000, mostMegabytes: 256 };

const lookEveryMs = 50;
type Found = { chunks: NewChunk[] } | { fault: string };

/**
 * Reads a document in a thread of its own, within these limits. A hostile one (a bomb of compressed bytes, nesting
 * without end) ends that thread, and nothing else. @throws Unreadable, and the signal's reason when it is aborted.
 */
export async function readApart(
  document: { type: SourceType; bytes: Buffer },
  signal: AbortSignal,
  limits: ReadingLimits = readingLimits,
): Promise<NewChunk[]> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  const refuse = (reason: string) => reject(new Unreadable(reason));
  const thread = new Worker(new URL('./read-thread.ts', import.meta.url), {
    workerData: { type: document.type, bytes: new Uint8Array(document.bytes) },
    resourceLimits: {
      maxOldGenerationSizeMb: limits.mostMegabytes,
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4,
    },
    stdout: true,
    stderr: true,
  });
  const deadline = setTimeout(() => refuse('The document takes too long to be read.'), limits.timeoutMs);
  const watch = watchBuffers(thread, limits, () => refuse('The document needs too much memory to be read.'));
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  thread.once('message', resolve);
  thread.once('error', (error) => refuse(reasonOf(error)));
  thread.once('exit', () => refuse('The document could not be read.'));
  try {
    const found = await promise;
    if ('fault' in found) throw new Unreadable(found.fault);
    return found.chunks;
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    signal.removeEventListener('abort', abort);
    await thread.terminate();
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
