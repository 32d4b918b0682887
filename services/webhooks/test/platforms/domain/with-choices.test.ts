import { Choices } from '@botyard/contracts/choices';
import { expect, test } from 'vitest';

test.each([
  ['too many', Array.from({ length: 11 }, (_, index) => `choice ${index}`)],
  ['none', []],
  ['one that is too long', ['x'.repeat(41)]],
  ['an empty one', [' ']],
  ['two that are the same', ['Yes', ' Yes ']],
  ['a line break', ['Yes\nNo']],
  ['a control character', ['Yes\u0000']],
  ['a character that turns the direction', ['Yes\u202eoN']],
  ['half of a character', ['\ud83d']],
])('choices with %s are refused', (_name, choices) => {
  expect(Choices.safeParse(choices).success).toBe(false);
});
