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
  /** Length of one load phase. */
  seconds: number;
  /** For the part `archive`: number of messages. */
  messages: number;
  /** For the parts `endurance` and `many-at-once`: their length. */
  minutes: number;
  /** For the part `many-at-once`: how much of its requests and messages come. */
  percent: number;
  /** Redraws the curves in `docs/performance/`. */
  drawsPictures: boolean;
  /** Rewrites the table of aims in `docs/performance.md`. */
  isRecorded: boolean;
  /** Writes a CPU profile of each of our measured processes; figures then include the profiler. */
  isProfiled: boolean;
  /**
   * For the parts `end-to-end`, `gateway` and `tenant-read`: folder of another installed checkout, measured in the same
   * rounds.
   */
  beside: string | undefined;
  /** For the parts `admission`, `end-to-end` and `gateway`: leaves out others' software. */
  isOwnOnly: boolean;
}

export const commandLine = {
  name: 'npm run bench',
  about:
    'Measures Botyard beside plain builds, as ratios within one run, on Linux (tools/bench/README.md). It prints tables, and writes all values to .data/bench/.',
  arguments: [
    {
      name: 'part',
      about: 'What to measure.',
      values: partNames,
      takesMany: true,
      otherwise: 'all parts but endurance and many-at-once; with --record those that the page has figures of',
    },
  ],
  options: {
    rounds: {
      type: 'number',
      about: 'How often each build is measured, in turns.',
      ...{ min: 1, max: 20, default: 3 },
    },
    seconds: {
      type: 'number',
      about: 'Length of one phase of load.',
      ...{ min: 0.5, max: 30, default: 3 },
    },
    messages: {
      type: 'number',
      about: 'How many messages there are (archive).',
      ...{ min: 10_000, max: 10_000_000, default: 1_000_000 },
    },
    minutes: {
      type: 'number',
      about: 'How long people write (endurance, many-at-once).',
      ...{ min: 1, max: 1440, default: 30 },
    },
    percent: {
      type: 'number',
      about: 'How much of the usual requests and messages come (many-at-once).',
      ...{ min: 1, max: 400, default: 100 },
    },
    pictures: { type: 'flag', about: 'Draws the curves in docs/performance/ anew.' },
    record: {
      type: 'flag',
      about: 'Writes what was measured into the table of docs/performance.md, and draws the curves.',
    },
    profile: { type: 'flag', about: 'Writes CPU profiles of the processes of Botyard that are measured.' },
    beside: {
      type: 'text',
      value: 'folder',
      about: 'Measures another checkout, installed, in the same rounds (end-to-end, gateway, tenant-read).',
    },
    own: { type: 'flag', about: 'Leaves out what others built (admission, end-to-end, gateway).' },
  },
  examples: [
    {
      command: 'npm run bench -- gateway start --rounds 5 --seconds 2',
      about: 'two parts, with more rounds than usual',
    },
    {
      command: 'npm run bench -- --record',
      about: 'the whole page anew, on a quiet machine',
    },
    {
      command: 'npm run bench -- end-to-end --own --beside ../botyard-before',
      about: 'this checkout beside another one',
    },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the fault in one line. */
export function readOptions(args: readonly string[]): Options {
  const { options, arguments: names } = parseCommandLine(commandLine, args);
  const { rounds, seconds, messages, minutes, percent, beside } = options;
  if (beside !== undefined && !existsSync(join(resolve(beside), 'node_modules')))
    throw new CommandLineError(`--beside ${beside} is no folder of an installed checkout`);
  return {
    parts: wantedParts(names, options.record),
    ...{ rounds, seconds, minutes, percent },
    messages: Math.trunc(messages),
    drawsPictures: options.pictures || options.record,
    isRecorded: options.record,
    isProfiled: options.profile,
    beside: beside === undefined ? undefined : resolve(beside),
    isOwnOnly: options.own,
  };
}

/** Parts with aims, and parts with curves. */
const recordedParts: readonly PartName[] = [
  'admission',
  'end-to-end',
  'gateway',
  'growth',
  'start',
  'tenant-read',
  'workers',
];

/** They take half an hour each, so they are measured when they are named. */
const longParts: readonly PartName[] = ['endurance', 'many-at-once'];

function wantedParts(names: readonly string[], isRecorded: boolean): PartName[] {
  const usual = isRecorded ? recordedParts : partNames.filter((name) => !longParts.includes(name));
  return partNames.filter((name) => (names.length > 0 ? names.includes(name) : usual.includes(name)));
}
