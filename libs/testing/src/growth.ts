interface GrowthOptions<Input> {
  /** Makes an input of about `size` bytes: a hostile unit, repeated. */
  make: (size: number) => Input;
  read: (input: Input) => unknown;
  /** The smallest size; 2, 4 and 8 times as much are read, too. It should take about a millisecond to read. */
  size: number;
}

interface Growth {
  /** Milliseconds of computing for n, 2n, 4n and 8n. */
  ms: [number, number, number, number];
  /** How much more 8n costs than n for each byte: 1 when linear, 8 when quadratic. */
  perByte: number;
}

/** A linear reader stays below this; a quadratic one shows 8. */
export const maxGrowth = 3;

const fewestRounds = 3;
/** Limit on rounds while the ratio still looks too high: interrupted measurements say nothing. */
const maxRounds = 40;
const suspicious = 2.5;
const factors = [1, 2, 4, 8];
const largest = 8;

/**
 * Measures how the cost of a reader grows with its input, as a ratio inside one run. Small inputs are read so many
 * times that every measurement reads the same number of bytes: a busy machine then interrupts each of them alike. The
 * least of several interleaved rounds counts, because other work on the machine only adds; there are more rounds while
 * the ratio looks too high. A test expects `perByte` below `maxGrowth`.
 */
export async function measureGrowth<Input>({ make, read, size }: GrowthOptions<Input>): Promise<Growth> {
  const inputs = factors.map((factor) => ({ times: largest / factor, input: make(size * factor) }));
  const least = inputs.map(() => Number.POSITIVE_INFINITY);
  const growth = (): Growth => {
    const [n = 0, n2 = 0, n4 = 0, n8 = 0] = least.map((ms, index) => ms / (inputs[index]?.times ?? 1));
    return { ms: [n, n2, n4, n8], perByte: n8 / largest / Math.max(n, 0.05) };
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
