import { type ProcessLimits, runInProcess } from '../../work/limited-process.ts';
import { TaskError, type TaskFault, TaskRefusal } from '../../work/thread-tasks.ts';
import { Unreadable } from './sections.ts';

export type ReadingLimits = ProcessLimits;

const reasons: Readonly<Record<TaskFault, string>> = {
  busy: 'The document could not be read.',
  timeout: 'The document takes too long to be read.',
  memory: 'The document needs too much memory to be read.',
  depth: 'The document is too deeply nested.',
  failed: 'The document could not be read.',
};

/**
 * Reads a document in a process of its own, within these limits. `file` is what the process runs; it calls `serveTask`.
 * A hostile document (a compression bomb, endless nesting) ends only that process.
 * @throws Unreadable, and the signal's reason when it is aborted.
 */
export async function runApart<Result>(
  file: URL,
  document: object,
  options: { signal: AbortSignal; limits: ReadingLimits },
): Promise<Result> {
  try {
    return await runInProcess<Result>(file, document, options);
  } catch (error) {
    if (error instanceof TaskRefusal) throw new Unreadable(error.message);
    throw error instanceof TaskError ? new Unreadable(reasons[error.fault], { cause: error }) : error;
  }
}
