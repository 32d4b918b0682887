import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';

const partNames = [
  'admission',
  'archive',
  'authorization',
  'console',
  'gateway',
  'end-to-end',
  'endurance',
  'flood',
  'growth',
  'lists',
  'live',
  'mail',
  'many-at-once',
  'media',
  'resolve',
  'start',
  'tenant-read',
  'usage',
  'workers',
] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  parts: readonly PartName[];
  rounds: number;
  /** The duration of one load phase. */
  seconds: number;
  /** The number of messages in the part `archive`. */
  messages: number;
  /** The duration of the parts `endurance` and `many-at-once`. */
  minutes: number;
  /** The load of the part `many-at-once`, in percent of the usual requests and messages. */
  percent: number;
  /** True to redraw the charts in `docs/performance/`. */
  drawsPictures: boolean;
  /** True to rewrite the table of aims in `docs/performance.md`. */
  isRecorded: boolean;
  /** True to write a CPU profile of each measured process of ours. The figures then include the profiler. */
  isProfiled: boolean;
  /**
   * The folder of another installed checkout, which the parts `end-to-end`, `flood`, `gateway` and `tenant-read` measure
   * in the same rounds.
   */
  beside: string | undefined;
  /** True to omit third-party software in the parts `admission`, `end-to-end` and `gateway`. */
  isOwnOnly: boolean;
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
      otherwise:
        'all parts except endurance and many-at-once; with --record the parts with figures in docs/performance.md',
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
    messages: {
      type: 'number',
      about: 'The number of messages (archive).',
      min: 10_000,
      max: 10_000_000,
      default: 1_000_000,
    },
    minutes: {
      type: 'number',
      about: 'The duration of the load in minutes (endurance, many-at-once).',
      min: 1,
      max: 1440,
      default: 30,
    },
    percent: {
      type: 'number',
      about: 'The load in percent of the usual requests and messages (many-at-once).',
      min: 1,
      max: 400,
      default: 100,
    },
    pictures: { type: 'flag', about: 'Redraws the charts in docs/performance/.' },
    record: {
      type: 'flag',
      about: 'Writes the results to the table in docs/performance.md and redraws the charts.',
    },
    profile: { type: 'flag', about: 'Writes CPU profiles of the measured Botyard processes.' },
    beside: {
      type: 'text',
      value: 'folder',
      about:
        'Also measures another installed checkout in the same rounds (end-to-end, flood, gateway, tenant-read).',
    },
    own: { type: 'flag', about: 'Omits third-party software (admission, end-to-end, gateway).' },
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
      command: 'npm run bench -- end-to-end --own --beside ../botyard-before',
      about: 'this checkout compared with another one',
    },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the reason in one line. */
export function readOptions(args: readonly string[]): Options {
  const { options, arguments: names } = parseCommandLine(commandLine, args);
  const { rounds, seconds, messages, minutes, percent, beside } = options;
  if (beside !== undefined && !existsSync(join(resolve(beside), 'node_modules')))
    throw new CommandLineError(`--beside ${beside} is not the folder of an installed checkout`);
  return {
    parts: wantedParts(names, options.record),
    rounds,
    seconds,
    minutes,
    percent,
    messages: Math.trunc(messages),
    drawsPictures: options.pictures || options.record,
    isRecorded: options.record,
    isProfiled: options.profile,
    beside: beside === undefined ? undefined : resolve(beside),
    isOwnOnly: options.own,
  };
}

/** The parts with aims or charts. */
const recordedParts: readonly PartName[] = [
  'admission',
  'end-to-end',
  'gateway',
  'growth',
  'start',
  'tenant-read',
  'workers',
];

/** Each takes half an hour, so these parts run only if they are named. */
const longParts: readonly PartName[] = ['endurance', 'many-at-once'];

function wantedParts(names: readonly string[], isRecorded: boolean): PartName[] {
  const usual = isRecorded ? recordedParts : partNames.filter((name) => !longParts.includes(name));
  return partNames.filter((name) => (names.length > 0 ? names.includes(name) : usual.includes(name)));
}
