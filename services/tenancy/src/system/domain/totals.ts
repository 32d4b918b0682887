import type { Figures } from '@botyard/shared/system/questions';

type ProcessFigures = Figures['process'];
type Counter = Figures['counters'][number];

/** The combined figures of many processes. */
export function totalOf(processes: readonly ProcessFigures[]): ProcessFigures & { processes: number } {
  const sum = (read: (figures: ProcessFigures) => number) =>
    processes.reduce((total, figures) => total + read(figures), 0);
  return {
    processes: processes.length,
    cpuSeconds: Math.round(sum(({ cpuSeconds }) => cpuSeconds) * 1000) / 1000,
    residentBytes: sum(({ residentBytes }) => residentBytes),
    heapUsedBytes: sum(({ heapUsedBytes }) => heapUsedBytes),
    heapTotalBytes: sum(({ heapTotalBytes }) => heapTotalBytes),
    externalBytes: sum(({ externalBytes }) => externalBytes),
    requests: sum(({ requests }) => requests),
    requestsInFlight: sum(({ requestsInFlight }) => requestsInFlight),
  };
}

/** Sums of the counters with the same name and labels. */
export function countersOf(figures: readonly Figures[]): Counter[] {
  const sums = new Map<string, Counter>();
  for (const counter of figures.flatMap(({ counters }) => counters)) {
    const key = JSON.stringify([counter.name, Object.entries(counter.labels).sort()]);
    const sum = sums.get(key);
    sums.set(key, { ...counter, value: (sum?.value ?? 0) + counter.value });
  }
  return [...sums.values()];
}

/**
 * Every process of a service counts the same queue. The highest count wins, because that process counted last or best.
 */
export function queuesOf(figures: readonly Figures[]): Record<string, number> {
  const depths = new Map<string, number>();
  for (const [name, depth] of figures.flatMap(({ queues }) => Object.entries(queues)))
    depths.set(name, Math.max(depths.get(name) ?? 0, depth));
  return Object.fromEntries(depths);
}
