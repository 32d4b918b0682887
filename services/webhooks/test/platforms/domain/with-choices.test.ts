import { Choices } from '@botyard/contracts/choices';
import { expect, test } from 'vitest';
import { withButtons } from '../../../src/platforms/domain/with-choices.ts';
import { formatMail } from '../../../src/platforms/mailgun/domain/outbound/format/format-mail.ts';

test('a platform without buttons gets the choices as a list at the end, as they are written', () => {
  const choices = ['*Yes*', '<b>No</b>', '1. [link](https://x.example)', 'a_b_c `d`', '- # $5$ ~~x~~'];
  const { markdown, choices: buttons } = withButtons('email', 'Shall we?', choices);
  expect(buttons).toEqual([]);
  const { text, html } = formatMail(markdown)!;
  for (const choice of choices) expect(text).toContain(choice);
  expect(html.match(/<li/g)).toHaveLength(choices.length);
  expect(html).not.toMatch(/<b>|<a /);
});

test('a platform with buttons gets the text as it is', () => {
  expect(withButtons('slack', 'Shall we?', ['Yes'])).toEqual({ markdown: 'Shall we?', choices: ['Yes'] });
});

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
