import type { Worker } from 'node:worker_threads';

export interface ThreadBudget {
  /** Time that the thread computes. */
  cpuMs: number;
  /** Time in all, also of a machine that has much else to do. */
  totalMs: number;
}

const lookEveryMs = 50;

/**
 * Calls `onOverrun` once when a thread has used more than its budget since now. What it computed before the first look
 * isn't counted. Returns how to stop watching.
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
