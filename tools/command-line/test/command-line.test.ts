import { expect, test } from 'vitest';
import { type CommandLine, CommandLineError, parseCommandLine, wantsHelp } from '../command-line.ts';
import { helpOf } from '../help.ts';

const commandLine = {
  name: 'npm run paint',
  about: 'Paints a house.',
  arguments: [
    { name: 'colour', about: 'Of the walls.', values: ['green', 'yellow'], isRequired: true },
    { name: 'room', about: 'What to paint.', takesMany: true, otherwise: 'all rooms' },
  ],
  options: {
    coats: { type: 'number', about: 'How often.', min: 1, max: 5, isWhole: true, default: 2 },
    litres: { type: 'number', about: 'How much there is.', min: 0.5, max: 50, otherwise: 'enough' },
    brush: { type: 'text', about: 'With what.', value: 'size' },
    quick: { type: 'flag', about: 'Leaves corners out.', short: 'q' },
  },
  examples: [
    { command: 'npm run paint -- green', about: 'all of it' },
    { command: 'npm run paint -- green kitchen --quick', about: 'one room' },
  ],
} as const satisfies CommandLine;
const passingOn = { ...commandLine, passedOn: 'Goes to the painter.' } as const satisfies CommandLine;

test('arguments and options are read with their types and defaults', () => {
  expect(parseCommandLine(commandLine, ['green'])).toEqual({
    arguments: ['green'],
    options: { coats: 2, litres: undefined, brush: undefined, quick: false },
    passedOn: [],
  });
  const args = ['-q', 'green', '--coats=3', 'kitchen', '--litres', '0.5', '--brush=-2', '--', '--hall'];
  expect(parseCommandLine(commandLine, args)).toEqual({
    arguments: ['green', 'kitchen', '--hall'],
    options: { coats: 3, litres: 0.5, brush: '-2', quick: true },
    passedOn: [],
  });
});

test('everything after -- is passed on unparsed if the table says so', () => {
  const { arguments: args, passedOn } = parseCommandLine(passingOn, ['green', '--', '--help', 'x']);
  expect({ args, passedOn }).toEqual({ args: ['green'], passedOn: ['--help', 'x'] });
  expect(wantsHelp(passingOn, ['green', '--', '--help'])).toBe(false);
});

test.each([
  [['grene'], 'unknown colour grene: did you mean green?'],
  [['mauve'], 'unknown colour mauve: one of green, yellow'],
  [[], '<colour> is missing: one of green, yellow'],
  [['green', '--coat', '3'], 'unknown option --coat: did you mean --coats?'],
  [['green', '-z'], 'unknown option -z'],
  [['green', '--constructor'], 'unknown option --constructor'],
  [['green', '--__proto__'], 'unknown option --__proto__'],
  [['green', '--coats'], '--coats takes a whole number from 1 to 5'],
  [['green', '--coats', ''], '--coats takes a whole number from 1 to 5, not ""'],
  [['green', '--coats', '-1'], '--coats takes a whole number from 1 to 5, not -1'],
  [['green', '--coats', '1.5'], '--coats takes a whole number from 1 to 5, not 1.5'],
  [['green', '--coats', 'two\nor three'], '--coats takes a whole number from 1 to 5, not "two\\nor three"'],
  [['green', '--litres', '51'], '--litres takes a number from 0.5 to 50, not 51'],
  [['green', '--brush', '--quick'], '--brush takes a value: --brush <size>'],
  [['green', '--quick=yes'], '--quick takes no value'],
])('%j is refused in one line', (args, message) => {
  expect(() => parseCommandLine(commandLine, args)).toThrow(new CommandLineError(message));
});

test('an extra argument is rejected', () => {
  const narrow = { ...commandLine, arguments: [] } as const satisfies CommandLine;
  expect(() => parseCommandLine(narrow, ['kitchen'])).toThrow('unexpected argument kitchen');
});

test.each([['--help'], ['-h']])('%s shows the help even if other arguments are invalid', (flag) => {
  expect(wantsHelp(commandLine, ['mauve', '--coats=0', flag])).toBe(true);
});

test('the help has usage, arguments and options with allowed values and defaults, and examples', () => {
  expect(helpOf(commandLine)).toBe(`Paints a house.

Usage: npm run paint -- <colour> [room …] [options]

Arguments:
  colour  Of the walls. One of: green, yellow.
  room    What to paint. Default: all rooms.

Options:
  --coats <number>   How often. Takes a whole number from 1 to 5. Default: 2.
  --litres <number>  How much there is. Takes a number from 0.5 to 50. Default: enough.
  --brush <size>     With what.
  -q, --quick        Leaves corners out.
  -h, --help         Shows this help.

Examples:
  npm run paint -- green
      all of it
  npm run paint -- green kitchen --quick
      one room
`);
});
