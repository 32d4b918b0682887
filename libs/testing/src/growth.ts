interface GrowthOptions<Input> {
  /** Creates an input of about `size` bytes: a hostile unit, repeated. */
  make: (size: number) => Input;
  read: (input: Input) => unknown;
  /** The smallest size; 2, 4 and 8 times as much are measured too. Reading it should take about a millisecond. */
  size: number;
}

interface Growth {
  /** Milliseconds of processor time for n, 2n, 4n and 8n. */
  ms: [number, number, number, number];
  /**
   * Cost per byte of 8n relative to n: 1 if linear, 8 if quadratic. The lowest of three readings: the costs of n and
   * 8n, and the third powers of the last and of the middle one of the three doublings. Up to two doublings may be
   * steeper than the reader: from some size on, memory comes from the kernel, or no longer from a cache.
   */
  perByte: number;
}

/** A linear reader stays below this; a quadratic one shows 8. */
export const maxGrowth = 3;

const fewestRounds = 3;
/** Limit on rounds while the ratio looks too high, because interrupted measurements prove nothing. */
const maxRounds = 40;
const suspicious = 2.5;
const factors = [1, 2, 4, 8];
const largest = 8;
/** Shorter times are mostly noise. */
const leastMs = 0.05;

/**
 * Measures how the cost of a reader grows with its input, as a ratio within one run. Small inputs are read so many
 * times that every measurement reads the same number of bytes, so a busy machine interrupts each of them alike. The
 * minimum of several interleaved rounds counts, because other work on the machine only adds time. More rounds follow
 * while the ratio looks too high. A test expects `perByte` below `maxGrowth`.
 */
export async function measureGrowth<Input>({ make, read, size }: GrowthOptions<Input>): Promise<Growth> {
  const inputs = factors.map((factor) => ({ times: largest / factor, input: make(size * factor) }));
  const least = inputs.map(() => Number.POSITIVE_INFINITY);
  const growth = (): Growth => {
    const [n = 0, n2 = 0, n4 = 0, n8 = 0] = least.map((ms, index) => ms / (inputs[index]?.times ?? 1));
    const perDoubling = (ms: number, of: number) => ms / 2 / Math.max(of, leastMs);
    const doublings = [perDoubling(n2, n), perDoubling(n4, n2), perDoubling(n8, n4)];
    const middle = doublings.toSorted((left, right) => left - right)[1]!;
    const perByte = Math.min(n8 / largest / Math.max(n, leastMs), doublings[2]! ** 3, middle ** 3);
    return { ms: [n, n2, n4, n8], perByte };
  };
  for (let round = 0; round <= maxRounds; round += 1) {
    if (round > fewestRounds && growth().perByte < suspicious) break;
    for (const [index, { input, times }] of inputs.entries()) {
      const before = process.cpuUsage();
      for (let time = 0; time < times; time += 1) await read(input);
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      // The first round only warms up.
      if (round > 0) least[index] = Math.min(least[index] ?? ms, ms);
    }
  }
  return growth();
}
