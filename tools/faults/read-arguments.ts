import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';

interface Wanted {
  /** Names of cases, as in the names of tests. Empty: all of them. */
  names: string[];
  minutes: number;
  seed: number;
}

const maxMinutes = 24 * 60;
const maxSeed = 2 ** 31;
const defaultMinutes = 10;

export const commandLine = {
  name: 'npm run faults',
  about:
    'Runs the proofs of order and of crashes at their full size, over real processes with fake platforms, and prints their counts (test/faults/README.md).',
  arguments: [
    {
      name: 'proof',
      about: 'The name of a case, such as o-01, f-25 or p1; "mix" is everything at once, by chance.',
      takesMany: true,
      otherwise: 'all of them',
    },
  ],
  options: {
    minutes: {
      type: 'number',
      about: 'How long the mix runs.',
      ...{ min: 0.01, max: maxMinutes },
      otherwise: `${defaultMinutes}`,
    },
    seed: {
      type: 'number',
      about: 'The same seed draws the same mix.',
      ...{ min: 0, max: maxSeed, isWhole: true },
      otherwise: 'drawn at random, and printed',
    },
  },
  examples: [
    { command: 'npm run faults -- o-01 f-25', about: 'two cases' },
    {
      command: 'npm run faults -- mix --minutes 10 --seed 7',
      about: 'the mix, with the draws of an earlier run',
    },
  ],
} as const satisfies CommandLine;

const root = join(import.meta.dirname, '..', '..');
const files = ['test/faults/**/*.test.ts', 'test/deploy/servers/full-disk*.test.ts'];
const caseName = /\b(?:[A-Z]-\d\d|P\d\d?)\b/g;

/** Those in the names of tests. */
function listCases(): ReadonlySet<string> {
  const texts = globSync(files, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set(['mix', ...texts.flatMap((text) => text.match(caseName) ?? [])]);
}

/** @throws CommandLineError with the fault in one line. */
export function readArguments(args: readonly string[]): Wanted {
  const { options, arguments: given } = parseCommandLine(commandLine, args);
  const names = given.map((name) => (/^mix$/i.test(name) ? 'mix' : name.toUpperCase()));
  const cases = listCases();
  const at = names.findIndex((name) => !cases.has(name));
  if (at >= 0)
    throw new CommandLineError(
      `unknown proof ${JSON.stringify(given[at])}: say one such as o-01, f-25, p1 or mix`,
    );
  const isForMix = names.length === 0 || names.includes('mix');
  if (!isForMix && (options.minutes ?? options.seed) !== undefined)
    throw new CommandLineError('--minutes and --seed are for the mix');
  return { names, minutes: options.minutes ?? defaultMinutes, seed: options.seed ?? randomInt(maxSeed) };
}
