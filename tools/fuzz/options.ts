import { randomInt } from 'node:crypto';
import { type CommandLine, parseCommandLine } from '../command-line/command-line.ts';

export const partNames = ['contracts', 'gate', 'webhooks'] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  parts: readonly PartName[];
  /** The seed of the random generator. The same seed produces the same calls, targets and deliveries. */
  seed: number;
  calls: number;
  targets: number;
  deliveries: number;
  /** The time limit of each part. */
  minutes: number;
}

export const commandLine = {
  name: 'npm run fuzz',
  about:
    'Checks invariants with random calls, request targets and deliveries (tools/fuzz/README.md). Exits with code 1 if one is violated.',
  arguments: [
    { name: 'part', about: 'The part to run.', values: partNames, takesMany: true, otherwise: 'all parts' },
  ],
  options: {
    seed: {
      type: 'number',
      about: 'The seed. The same seed produces the same calls, targets and deliveries.',
      min: 0,
      max: 2 ** 31,
      isWhole: true,
      otherwise: 'a random seed, which is printed',
    },
    calls: {
      type: 'number',
      about: 'The number of API calls (contracts).',
      min: 1,
      max: 10_000_000,
      isWhole: true,
      default: 20_000,
    },
    targets: {
      type: 'number',
      about: 'The number of request targets (gate).',
      min: 1,
      max: 100_000_000,
      isWhole: true,
      default: 1_000_000,
    },
    deliveries: {
      type: 'number',
      about: 'The number of deliveries of the platforms (webhooks).',
      min: 1,
      max: 10_000_000,
      isWhole: true,
      default: 20_000,
    },
    minutes: {
      type: 'number',
      about: 'The time limit of each part in minutes. A part that reaches it stops early.',
      min: 1,
      max: 1440,
      isWhole: true,
      default: 60,
    },
  },
  examples: [
    {
      command: 'npm run fuzz -- contracts --calls 5000 --seed 7',
      about: 'one part with the seed of an earlier run',
    },
    {
      command: 'npm run fuzz -- gate webhooks --targets 50000 --deliveries 2000 --minutes 5',
      about: 'two parts, at a smaller size',
    },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the reason in one line. */
export function readOptions(args: readonly string[]): Options {
  const { options, arguments: names } = parseCommandLine(commandLine, args);
  return {
    ...options,
    parts: names.length > 0 ? partNames.filter((name) => names.includes(name)) : partNames,
    seed: options.seed ?? randomInt(2 ** 31),
  };
}
