import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export const partNames = ['contracts', 'gate', 'webhooks'] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  parts: readonly PartName[];
  /** The same seed draws the same calls, targets and deliveries. */
  seed: number;
  calls: number;
  targets: number;
  deliveries: number;
  /** Each part ends after so long, whatever is left of it. */
  minutes: number;
}

export const usage = `npm run fuzz -- [${partNames.join('|')} …] [--seed N] [--calls 20000] [--targets 1000000] [--deliveries 20000] [--minutes 60]`;

/** @throws Error with one line that says what is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      calls: { type: 'string', default: '20000' },
      targets: { type: 'string', default: '1000000' },
      deliveries: { type: 'string', default: '20000' },
      minutes: { type: 'string', default: '60' },
    },
  });
  const unknown = positionals.find((name) => !partNames.includes(name as PartName));
  if (unknown) throw new Error(`there is no part ${unknown}: ${usage}`);
  return {
    parts: positionals.length > 0 ? partNames.filter((name) => positionals.includes(name)) : partNames,
    seed: whole(values.seed, 'seed', { least: 0, most: 2 ** 31 }),
    calls: whole(values.calls, 'calls', { least: 1, most: 10_000_000 }),
    targets: whole(values.targets, 'targets', { least: 1, most: 100_000_000 }),
    deliveries: whole(values.deliveries, 'deliveries', { least: 1, most: 10_000_000 }),
    minutes: whole(values.minutes, 'minutes', { least: 1, most: 1440 }),
  };
}

function whole(text: string, name: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw new Error(`--${name} is a whole number from ${least} to ${most}`);
  return value;
}
