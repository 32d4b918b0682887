import type { Latencies } from './messages.ts';

export function summarize(latenciesMs: readonly number[]): Latencies {
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
