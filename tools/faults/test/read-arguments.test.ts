import { expect, test } from 'vitest';
import { CommandLineError } from '../../command-line/command-line.ts';
import { readArguments } from '../read-arguments.ts';

test('names of cases are accepted in upper and lower case', () => {
  expect(readArguments(['o-01', 'F-25', 'p1', 'Mix'])).toMatchObject({
    names: ['O-01', 'F-25', 'P1', 'mix'],
  });
  expect(readArguments([])).toMatchObject({ names: [], minutes: 10 });
});

test.each(['mix', 'platforms', 'release'])(
  '%s accepts a duration and a seed, and draws a seed if there is none',
  (name) => {
    const runArguments = readArguments([name, '--minutes', '0.5', '--seed', '7']);
    expect(runArguments).toEqual({ names: [name], minutes: 0.5, seed: 7 });
    expect(readArguments([name])).toMatchObject({ seed: expect.any(Number) });
  },
);

test.each([
  [['nonsense']],
  [['o-01', 'o-99']],
  [['mix', '--minutes', '0']],
  [['mix', '--minutes', 'ten']],
  [['mix', '--seed', '1.5']],
  [['mix', '--seed', '-1']],
  [['mix', '--seeds', '1']],
  [['f-01', '--seed', '1']],
  [['mix', '--minutes']],
])('%j is refused in one line', (args) => {
  expect(() => readArguments(args)).toThrow(CommandLineError);
  expect(() => readArguments(args)).toThrow(/^[^\n]+$/);
});
