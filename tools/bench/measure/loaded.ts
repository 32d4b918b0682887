import { type ByGroup, cpuSeconds, difference, type Groups, sumOf } from '../../rig/processes.ts';
import type { Latencies } from '../load/messages.ts';

interface Answered extends Latencies {
  answered: number;
  seconds: number;
}

/** Runs a load, and measures the CPU seconds that the processes take for 1,000 of its answers. */
export async function withCpu<Result extends Answered>(
  pids: Groups,
  work: () => Promise<Result>,
): Promise<Result & { cpu: ByGroup }> {
  const before = cpuSeconds(pids);
  const result = await work();
  const used = difference(cpuSeconds(pids), before);
  const perThousand = Object.entries(used).map(([name, value]) => [name, (value / result.answered) * 1000]);
  return { ...result, cpu: Object.fromEntries(perThousand) };
}

/** The figures of a load for a series. Their names begin with the name of the load. */
export function figuresOf(
  name: string,
  { cpu, ...result }: Answered & { cpu: ByGroup },
): Record<string, number> {
  const byProcess = Object.entries(cpu).map(([group, value]) => [`${name}Cpu:${group}`, value]);
  return {
    [`${name}PerSecond`]: result.answered / result.seconds,
    [`${name}P50Ms`]: result.p50Ms,
    [`${name}P99Ms`]: result.p99Ms,
    [`${name}MaxMs`]: result.maxMs,
    [`${name}Cpu`]: sumOf(cpu),
    ...Object.fromEntries(byProcess),
  };
}
