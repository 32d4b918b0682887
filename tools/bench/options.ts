import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const partNames = [
  'admission',
  'archive',
  'authorization',
  'gateway',
  'end-to-end',
  'endurance',
  'flood',
  'growth',
  'live',
  'mail',
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
  /** Of the part `archive`: how many there are. */
  messages: number;
  /** Of the part `endurance`: how long. */
  minutes: number;
  /** Draws the curves anew into `docs/performance/`. */
  drawsPictures: boolean;
  /** Writes a CPU profile of every process of ours that is measured; figures then include the profiler. */
  isProfiled: boolean;
  /** Of the part `end-to-end`: folder of another checkout, installed, that is measured in the same rounds. */
  beside: string | undefined;
  /** Of the part `end-to-end`: leaves out what others built. */
  isOwnOnly: boolean;
}

export const usage = `npm run bench -- [${partNames.join('|')} …] [--rounds 3] [--seconds 3] [--messages 1000000] [--minutes 30] [--pictures] [--profile] [--beside FOLDER] [--own]`;

/** @throws Error with one line that says what is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      messages: { type: 'string', default: '1000000' },
      minutes: { type: 'string', default: '30' },
      pictures: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      beside: { type: 'string' },
      own: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.find((name) => !partNames.includes(name as PartName));
  if (unknown) throw new Error(`there is no part ${unknown}: ${usage}`);
  return {
    parts: partNames.filter((name) =>
      positionals.length > 0 ? positionals.includes(name) : name !== 'endurance',
    ),
    rounds: within(values.rounds, 'rounds', { least: 1, most: 20 }),
    seconds: within(values.seconds, 'seconds', { least: 0.5, most: 30 }),
    messages: Math.trunc(within(values.messages, 'messages', { least: 10_000, most: 10_000_000 })),
    minutes: within(values.minutes, 'minutes', { least: 1, most: 24 * 60 }),
    drawsPictures: values.pictures,
    isProfiled: values.profile,
    beside: values.beside === undefined ? undefined : resolve(values.beside),
    isOwnOnly: values.own,
  };
}

function within(text: string, name: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text);
  if (!(value >= least && value <= most)) throw new Error(`--${name} is a number from ${least} to ${most}`);
  return value;
}
