import { parentPort, Worker } from 'node:worker_threads';

/** A thread's tasks, by name. Inputs and results are copied. */
export type ThreadTasks = Readonly<Record<string, (input: never) => unknown>>;

/** Thrown by a task that can't use its input. The message may be shown to the input's author. */
export class TaskRefusal extends Error {
  override readonly name: string = 'TaskRefusal';
}

/**
 * Why a task gave no result. `busy`: too many tasks wait, so it was not started. All others depend on the input and
 * recur with it: `timeout`, `memory`, `depth` (of its nesting), or `failed`, which is a bug.
 */
export type TaskFault = 'busy' | 'timeout' | 'memory' | 'depth' | 'failed';

export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly fault: TaskFault;

  constructor(fault: TaskFault, options?: ErrorOptions) {
    super(`a task ended with: ${fault}`, options);
    this.fault = fault;
  }
}

/** The pool's message to a thread; `TaskMessage` is the reply. */
interface TaskOrder {
  name: string;
  input: unknown;
}
export type TaskMessage =
  | { isReady: true }
  | { result: unknown }
  | { refusal: string }
  | { isTooDeep: true }
  | { isTooLarge: true }
  | { failure: string };

/** Answers the orders of a `ThreadPool`. Called once, by the file that its threads run. */
export function serveTasks(tasks: ThreadTasks): void {
  const send = (message: TaskMessage) => parentPort?.postMessage(message);
  parentPort?.on('message', ({ name, input }: TaskOrder) => {
    Promise.try(() => tasks[name]!(input as never)).then(
      (result) => send({ result }),
      (error: unknown) => send(messageOf(error)),
    );
  });
  send({ isReady: true });
}

/** Runs the one task of a process that `runInProcess` has started. Called once, by the file that it runs. */
export function serveTask(task: (input: never) => unknown): void {
  process.once('message', ({ input, maxMegabytes }: { input: unknown; maxMegabytes: number }) => {
    if (process.platform === 'darwin') watchMemory(maxMegabytes);
    Promise.try(() => task(input as never)).then(
      (result) => process.send?.({ result } satisfies TaskMessage),
      (error: unknown) => process.send?.(messageOf(error)),
    );
  });
}

/** Ends the process from a thread, because its main loop may be busy. */
export function watchMemory(maxMegabytes: number): void {
  const maxBytes = process.memoryUsage.rss() + maxMegabytes * 1024 * 1024;
  const watch = `setInterval(() => process.memoryUsage.rss() > ${maxBytes} && process.kill(process.pid, 'SIGKILL'), 20)`;
  new Worker(watch, { eval: true }).unref();
}

/** @throws TaskRefusal, TaskError. */
export function resultOf(message: TaskMessage): unknown {
  if ('result' in message) return message.result;
  if ('refusal' in message) throw new TaskRefusal(message.refusal);
  if ('isTooDeep' in message) throw new TaskError('depth');
  if ('isTooLarge' in message) throw new TaskError('memory');
  throw new TaskError('failed', { cause: 'failure' in message ? new Error(message.failure) : message });
}

function messageOf(error: unknown): TaskMessage {
  if (error instanceof TaskRefusal) return { refusal: error.message };
  // No other errors have these messages.
  if (error instanceof RangeError && /call stack/.test(error.message)) return { isTooDeep: true };
  if (error instanceof RangeError && /allocation failed/.test(error.message)) return { isTooLarge: true };
  return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
