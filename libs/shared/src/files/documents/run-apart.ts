import { TaskError, type TaskFault, ThreadPool } from '../../work/thread-pool.ts';
import { TaskRefusal, type ThreadTasks } from '../../work/thread-tasks.ts';
import { Unreadable } from './sections.ts';

export interface ReadingLimits {
  timeoutMs: number;
  /** Applies separately to the thread's heap and to its buffers. */
  maxMegabytes: number;
}

const reasons: Readonly<Record<TaskFault, string>> = {
  busy: 'The document could not be read.',
  timeout: 'The document takes too long to be read.',
  memory: 'The document needs too much memory to be read.',
  depth: 'The document is too deeply nested.',
  failed: 'The document could not be read.',
};

/**
 * Reads a document in a separate thread, within these limits. `thread` is the file that the thread runs, which has a
 * task `read`. Document libraries keep state, so no thread is used twice. A hostile document (a compression bomb,
 * endless nesting) ends only that thread.
 * @throws Unreadable, and the signal's reason when it is aborted.
 */
export async function runApart<Result>(
  thread: URL,
  document: { bytes: Uint8Array<ArrayBuffer> },
  { signal, limits }: { signal: AbortSignal; limits: ReadingLimits },
): Promise<Result> {
  const { timeoutMs, maxMegabytes } = limits;
  const pool = new ThreadPool<ThreadTasks>({ file: thread, maxMegabytes });
  try {
    const transfer = [document.bytes.buffer];
    const options = { owner: '', timeoutMs, signal, transfer };
    return (await pool.run('read', document as never, options)) as Result;
  } catch (error) {
    if (error instanceof TaskRefusal) throw new Unreadable(error.message);
    throw error instanceof TaskError ? new Unreadable(reasons[error.fault], { cause: error }) : error;
  } finally {
    await pool.stop();
  }
}
