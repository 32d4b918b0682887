import { type CommandLine, parseCommandLine } from '../command-line/command-line.ts';

export const caseNames = [
  'approvals',
  'documents',
  'json',
  'locks',
  'mail',
  'reads',
  'speakers',
  'strangers',
  'streams',
  'trials',
] as const;
export type CaseName = (typeof caseNames)[number];

export interface Options {
  cases: readonly CaseName[];
  /** How long each attack lasts once it has begun. */
  seconds: number;
}

export const commandLine = {
  name: 'npm run attack',
  about:
    'Runs attacks of one tenant, or of a stranger, on all of Botyard and shows what another tenant notices (tools/attack/README.md). Exits with code 1 if a count is wrong; times never cause a failure.',
  arguments: [
    {
      name: 'case',
      about: 'The attack to run.',
      values: caseNames,
      takesMany: true,
      otherwise: 'all of them',
    },
  ],
  options: {
    seconds: {
      type: 'number',
      about: 'The duration of each attack in seconds.',
      min: 1,
      max: 600,
      default: 15,
    },
  },
  examples: [
    { command: 'npm run attack', about: 'every attack, each on an installation of its own' },
    { command: 'npm run attack -- json locks --seconds 30', about: 'two attacks, each longer than usual' },
  ],
} as const satisfies CommandLine;

/** @throws CommandLineError with the reason in one line. */
export function readOptions(args: readonly string[]): Options {
  const { options, arguments: names } = parseCommandLine(commandLine, args);
  return {
    cases: caseNames.filter((name) => names.length === 0 || names.includes(name)),
    seconds: options.seconds,
  };
}
