import type { CommandLine, Option, Parsed } from '../command-line/command-line.ts';

/** Vitest options that are passed on unchanged. */
export const vitestOptions = {
  testNamePattern: {
    type: 'text',
    short: 't',
    value: 'pattern',
    about: 'Runs the tests whose name matches (vitest).',
  },
  watch: { type: 'flag', short: 'w', about: 'Runs tests again when a file of theirs changes (vitest).' },
  update: { type: 'flag', short: 'u', about: 'Writes snapshots anew (vitest).' },
  bail: {
    type: 'number',
    about: 'Stops after so many failed tests (vitest).',
    min: 0,
    max: 100_000,
    isWhole: true,
    otherwise: '0, which never stops',
  },
  retry: {
    type: 'number',
    about: 'Runs a test that fails so many times more (vitest).',
    min: 0,
    max: 1000,
    isWhole: true,
    otherwise: '0',
  },
  reporter: {
    type: 'text',
    value: 'name',
    about: 'Prints results otherwise, such as verbose or json (vitest).',
  },
  project: {
    type: 'text',
    value: 'name',
    about: 'Runs the tests of one project: parts, timers or systems (vitest).',
  },
} as const satisfies Record<string, Option>;

export const passedOn = 'Further options of vitest; "npx vitest --help" lists them.';

/** Returns vitest's arguments: paths, then options, then everything after `--`. */
export function vitestArguments<C extends CommandLine>(parsed: Parsed<C>): string[] {
  const options: Partial<Record<string, boolean | number | string>> = parsed.options;
  const optionArguments = Object.keys(vitestOptions).flatMap((name) => {
    const value = options[name];
    if (value === undefined || value === false) return [];
    return [value === true ? `--${name}` : `--${name}=${value}`];
  });
  return [...parsed.arguments, ...optionArguments, ...parsed.passedOn];
}
