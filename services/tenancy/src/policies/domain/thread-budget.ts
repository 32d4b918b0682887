import type { Worker } from 'node:worker_threads';

export interface ThreadBudget {
  /** Computing time of the thread. */
  cpuMs: number;
  /** Total time, even on a busy machine. */
  totalMs: number;
}

const lookEveryMs = 50;

/**
 * Calls `onOverrun` once when a thread has exceeded its budget, counted from now on. Work before the first check isn't
 * counted. Returns a function that stops watching.
 */
export function watchBudget(thread: Worker, budget: ThreadBudget, onOverrun: () => void): () => void {
  const beganAt = performance.now();
  let before: NodeJS.CpuUsage | undefined;
  let isWatching = true;
  const stop = () => {
    isWatching = false;
    clearInterval(timer);
  };
  const look = async () => {
    const usage = await thread.cpuUsage().catch(() => undefined);
    if (!isWatching) return;
    before ??= usage;
    const cpuMs = usage && before ? (usage.user + usage.system - before.user - before.system) / 1000 : 0;
    if (cpuMs <= budget.cpuMs && performance.now() - beganAt <= budget.totalMs) return;
    stop();
    onOverrun();
  };
  const timer = setInterval(() => void look(), lookEveryMs).unref();
  return stop;
}
