import { randomInt } from 'node:crypto';
import { type CommandLine, parseCommandLine } from '../command-line/command-line.ts';

export const partNames = ['contracts', 'gate', 'webhooks'] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  parts: readonly PartName[];
  /** The same seed draws the same calls, targets and deliveries. */
  seed: number;
  calls: number;
  targets: number;
  deliveries: number;
  /** Time limit of each part. */
  minutes: number;
}

export const commandLine = {
  name: 'npm run fuzz',
  about:
    'Attacks what has to hold for all input, with random calls, request targets and deliveries (tools/fuzz/README.md). It ends with exit code 1 when something does not hold.',
  arguments: [
    { name: 'part', about: 'What to attack.', values: partNames, takesMany: true, otherwise: 'all parts' },
  ],
  options: {
    seed: {
      type: 'number',
      about: 'The same seed draws the same calls, targets and deliveries.',
      ...{ min: 0, max: 2 ** 31, isWhole: true },
      otherwise: 'drawn at random, and printed',
    },
    calls: {
      type: 'number',
      about: 'How many calls of the API to draw (contracts).',
      ...{ min: 1, max: 10_000_000, isWhole: true, default: 20_000 },
    },
    targets: {
      type: 'number',
      about: 'How many request targets to draw (gate).',
      ...{ min: 1, max: 100_000_000, isWhole: true, default: 1_000_000 },
    },
    deliveries: {
      type: 'number',
      about: 'How many deliveries of the platforms to draw (webhooks).',
      ...{ min: 1, max: 10_000_000, isWhole: true, default: 20_000 },
    },
    minutes: {
      type: 'number',
      about: 'Each part ends after so many minutes, even if some of it is left.',
      ...{ min: 1, max: 1440, isWhole: true, default: 60 },
    },
  },
  examples: [
    {
      command: 'npm run fuzz -- contracts --calls 5000 --seed 7',
      about: 'one part, with the draws of an earlier run',
    },
    {
      command: 'npm run fuzz -- gate webhooks --targets 50000 --deliveries 2000 --minutes 5',
      about: 'two parts, at a smaller size',
    },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the fault in one line. */
export function readOptions(args: readonly string[]): Options {
  const { options, arguments: names } = parseCommandLine(commandLine, args);
  return {
    ...options,
    parts: names.length > 0 ? partNames.filter((name) => names.includes(name)) : partNames,
    seed: options.seed ?? randomInt(2 ** 31),
  };
}
