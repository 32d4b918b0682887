import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';

const partNames = [
  'admission',
  'console',
  'gateway',
  'end-to-end',
  'flood',
  'growth',
  'start',
  'tenant-read',
  'visitors',
] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  parts: readonly PartName[];
  rounds: number;
  /** The duration of one load phase. */
  seconds: number;
  /** True to rewrite the table of aims in `docs/performance.md`. */
  isRecorded: boolean;
  /** True to write a CPU profile of each measured process of ours. The figures then include the profiler. */
  isProfiled: boolean;
  /** The folder of another installed checkout to measure in the same rounds. */
  beside: string | undefined;
}

export const commandLine = {
  name: 'npm run bench',
  about:
    'Measures Botyard and plain implementations in the same run, and compares them as ratios (tools/bench/README.md). Prints tables and writes all values to .data/bench/. Requires Linux.',
  arguments: [
    {
      name: 'part',
      about: 'The part to measure.',
      values: partNames,
      takesMany: true,
      otherwise: 'all parts; with --record the parts with figures in docs/performance.md',
    },
  ],
  options: {
    rounds: {
      type: 'number',
      about: 'The number of rounds. Each round measures every build once.',
      min: 1,
      max: 20,
      default: 3,
    },
    seconds: {
      type: 'number',
      about: 'The duration of one load phase in seconds.',
      min: 0.5,
      max: 30,
      default: 3,
    },
    record: { type: 'flag', about: 'Writes the results to the table in docs/performance.md.' },
    profile: { type: 'flag', about: 'Writes CPU profiles of the measured Botyard processes.' },
    beside: {
      type: 'text',
      value: 'folder',
      about:
        'Also measures another installed checkout in the same rounds (console, end-to-end, flood, gateway, tenant-read).',
    },
  },
  examples: [
    {
      command: 'npm run bench -- gateway start --rounds 5 --seconds 2',
      about: 'two parts, with more rounds than usual',
    },
    {
      command: 'npm run bench -- --record',
      about: 'all figures of docs/performance.md, on an idle machine',
    },
    {
      command: 'npm run bench -- end-to-end --beside ../botyard-before',
      about: 'this checkout compared with another one',
    },
  ],
} as const satisfies CommandLine;

/** The parts with aims. */
const recordedParts: readonly PartName[] = [
  'admission',
  'console',
  'end-to-end',
  'gateway',
  'start',
  'tenant-read',
];

/** @throws CommandLineError with the reason in one line. */
export function readOptions(args: readonly string[]): Options {
  const { options, arguments: names } = parseCommandLine(commandLine, args);
  const { rounds, seconds, record, profile, beside } = options;
  if (beside !== undefined && !existsSync(join(resolve(beside), 'node_modules')))
    throw new CommandLineError(`--beside ${beside} is not the folder of an installed checkout`);
  const usual = record ? recordedParts : partNames;
  return {
    parts: partNames.filter((name) => (names.length > 0 ? names.includes(name) : usual.includes(name))),
    rounds,
    seconds,
    isRecorded: record,
    isProfiled: profile,
    beside: beside === undefined ? undefined : resolve(beside),
  };
}
