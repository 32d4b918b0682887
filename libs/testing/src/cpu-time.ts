/** For how long this thread computed: however busy the machine is, it is the same. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The fastest of some rounds, of which the first one compiles; it stops once a round is below `enoughMs`. */
export function leastCpuMs(
  work: () => unknown,
  { rounds = 10, enoughMs = 0 }: { rounds?: number; enoughMs?: number } = {},
): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least > enoughMs; round += 1) least = Math.min(least, cpuMs(work));
  return least;
}
