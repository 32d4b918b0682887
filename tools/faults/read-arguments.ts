import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';

interface Wanted {
  /** The names of cases as they appear in test names. Empty for all cases. */
  names: string[];
  minutes: number;
  seed: number;
}

const maxMinutes = 24 * 60;
const maxSeed = 2 ** 31;
const defaultMinutes = 10;
/** Names of tests that draw their faults from a seed, and run for a duration. */
const seededNames: readonly string[] = ['mix', 'platforms', 'release'];

export const commandLine = {
  name: 'npm run faults',
  about:
    'Runs the ordering and crash tests at full size, with real processes and fake platforms, and prints their counts (test/faults/README.md).',
  arguments: [
    {
      name: 'proof',
      about:
        'The name of a case, such as o-01, f-25 or p1. "mix" combines all faults at random; "platforms" kills processes at random while people write on all platforms at once; "release" kills agents and Postgres at random during a release over 2,000 conversations.',
      takesMany: true,
      otherwise: 'all cases',
    },
  ],
  options: {
    minutes: {
      type: 'number',
      about: 'The duration of the mix, and of platforms, in minutes.',
      min: 0.01,
      max: maxMinutes,
      otherwise: `${defaultMinutes}`,
    },
    seed: {
      type: 'number',
      about: 'The seed of the mix, of platforms and of release. The same seed produces the same faults.',
      min: 0,
      max: maxSeed,
      isWhole: true,
      otherwise: 'a random seed, which is printed',
    },
  },
  examples: [
    { command: 'npm run faults -- o-01 f-25', about: 'two cases' },
    {
      command: 'npm run faults -- mix --minutes 10 --seed 7',
      about: 'the mix with the seed of an earlier run',
    },
    {
      command: 'npm run faults -- platforms --minutes 3 --seed 7',
      about: 'all platforms at once, with the seed of an earlier run',
    },
    { command: 'npm run faults -- release --seed 7', about: 'a release, with the seed of an earlier run' },
  ],
} as const satisfies CommandLine;

const root = join(import.meta.dirname, '..', '..');
const files = ['test/faults/**/*.test.ts', 'test/deploy/servers/full-disk*.test.ts'];
const caseName = /\b(?:[A-Z]-\d\d|P\d\d?)\b/g;

/** Whether a run of these cases has a test that draws its faults from a seed. */
export const hasSeed = (names: readonly string[]): boolean =>
  names.length === 0 || names.some((name) => seededNames.includes(name));

/** Returns the case names that occur in tests. */
function listCases(): ReadonlySet<string> {
  const texts = globSync(files, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set([...seededNames, ...texts.flatMap((text) => text.match(caseName) ?? [])]);
}

/** @throws CommandLineError with the reason in one line. */
export function readArguments(args: readonly string[]): Wanted {
  const { options, arguments: given } = parseCommandLine(commandLine, args);
  const names = given.map((name) =>
    seededNames.includes(name.toLowerCase()) ? name.toLowerCase() : name.toUpperCase(),
  );
  const cases = listCases();
  const at = names.findIndex((name) => !cases.has(name));
  if (at >= 0)
    throw new CommandLineError(
      `unknown proof ${JSON.stringify(given[at])}: name a case such as o-01, f-25, p1, mix, platforms or release`,
    );
  if (!hasSeed(names) && (options.minutes ?? options.seed) !== undefined)
    throw new CommandLineError('--minutes and --seed apply only to mix, platforms and release');
  return { names, minutes: options.minutes ?? defaultMinutes, seed: options.seed ?? randomInt(maxSeed) };
}
