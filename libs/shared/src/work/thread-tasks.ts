import { parentPort } from 'node:worker_threads';

/** A thread's tasks, by name. Inputs and results are copied. */
export type ThreadTasks = Readonly<Record<string, (input: never) => unknown>>;

/** Thrown by a task that can't use its input. The message may be shown to the input's author. */
export class TaskRefusal extends Error {
  override readonly name: string = 'TaskRefusal';
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

function messageOf(error: unknown): TaskMessage {
  if (error instanceof TaskRefusal) return { refusal: error.message };
  // The stack overflowed: no other error has this message.
  if (error instanceof RangeError && /call stack/.test(error.message)) return { isTooDeep: true };
  return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
