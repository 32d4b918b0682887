import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { resultOf, TaskError, type TaskFault, type TaskMessage } from './thread-tasks.ts';

export interface ProcessLimits {
  /** Processor time, rounded up to seconds, so that a busy machine doesn't end harmless work. */
  timeoutMs: number;
  /** Memory that the process may take for its work. */
  maxMegabytes: number;
}

/** Node reserves about this much of its data segment before it runs anything; nearly all of it stays untouched. */
const reservedMegabytes = 576;
/** The limit of elapsed time, as a multiple of the processor time. */
const waitingTimes = 10;

/**
 * Runs one task in a process of its own, which ends with it: whatever the input does to its memory, the caller's stays
 * the same. `file` calls `serveTask`. The kernel enforces the limits. Only macOS doesn't limit memory outside the heap,
 * so there the process watches its own. The process has no environment variables, and so no secrets.
 * @throws TaskRefusal in the task's own words, TaskError, and the signal's reason.
 */
export async function runInProcess<Result>(
  file: URL,
  input: unknown,
  { signal, limits }: { signal: AbortSignal; limits: ProcessLimits },
): Promise<Result> {
  signal.throwIfAborted();
  const child = start(file, limits);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const deadline = AbortSignal.timeout(limits.timeoutMs * waitingTimes);
  const stop = () => void child.kill('SIGKILL');
  const stopping = AbortSignal.any([signal, deadline]);
  stopping.addEventListener('abort', stop, { once: true });
  try {
    // It can end before it has read its input.
    child.send({ input, maxMegabytes: limits.maxMegabytes }, () => undefined);
    const message = await Promise.race([
      once(child, 'message').then(([first]) => first as TaskMessage),
      ended.then(([, endedBy]) => ({ fault: faultOf(endedBy, deadline.aborted) })),
    ]);
    signal.throwIfAborted();
    if ('fault' in message) throw new TaskError(message.fault);
    return resultOf(message) as Result;
  } finally {
    stopping.removeEventListener('abort', stop);
    stop();
  }
}

function start(file: URL, { timeoutMs, maxMegabytes }: ProcessLimits): ChildProcess {
  const limited = 'ulimit -S -t "$1" && ulimit -d "$2" && shift 2 && exec "$@"';
  const seconds = Math.ceil(timeoutMs / 1000);
  const kilobytes = (reservedMegabytes + maxMegabytes) * 1024;
  const node = [process.execPath, `--max-old-space-size=${maxMegabytes}`, fileURLToPath(file)];
  const child = spawn('/bin/sh', ['-c', limited, 'sh', String(seconds), String(kilobytes), ...node], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  child.on('error', () => undefined);
  return child;
}

/** The kernel ends a process that has used its time; Node ends itself when it gets no more memory. */
function faultOf(endedBy: NodeJS.Signals | null, isTooLate: boolean): TaskFault {
  if (isTooLate || endedBy === 'SIGXCPU') return 'timeout';
  return endedBy === null ? 'failed' : 'memory';
}
