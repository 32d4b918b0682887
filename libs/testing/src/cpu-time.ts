/** Processor time that this thread used. It doesn't depend on how busy the machine is. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The shortest of several rounds, of which the first one compiles. Stops once a round takes less than `enoughMs`. */
export function leastCpuMs(
  work: () => unknown,
  { rounds = 10, enoughMs = 0 }: { rounds?: number; enoughMs?: number } = {},
): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least > enoughMs; round += 1) least = Math.min(least, cpuMs(work));
  return least;
}
