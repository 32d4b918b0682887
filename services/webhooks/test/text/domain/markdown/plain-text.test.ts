import { expect, test } from 'vitest';
import { listChoices } from '../../../../src/platforms/domain/with-choices.ts';
import { toPlainText } from '../../../../src/text/domain/markdown/plain-text.ts';

test.each([
  ['emphasis', 'It is **very** *late*, ~~no~~ `now`.', 'It is very late, no now.'],
  ['escaped signs and entities', '2 \\* 3 &lt; 7 &#60; 8', '2 * 3 < 7 < 8'],
  ['headings and lists', '# Hours\n\n- Monday\n- Tuesday', 'Hours\n\n• Monday\n• Tuesday'],
  ['links', 'See [our map](https://maps.example/a).', 'See our map (https://maps.example/a).'],
  ['code', '```sh\nls -l *\n```', 'ls -l *'],
  ['words in Arabic', '**مرحبا**', 'مرحبا'],
  ['nothing but a definition', '[a]: https://a.example', '[a]: https://a.example'],
  ['nothing', ' ', ''],
])('the words of Markdown have no marks: %s', (_name, markdown, words) => {
  expect(toPlainText(markdown)).toBe(words);
});

test('choices that are listed in a plain text are shown as they are', () => {
  const choices = ['<b>No</b> & *never*', '1. of May', '[x](y) `z` \\'];
  expect(toPlainText(listChoices('Which one?', choices))).toBe(
    `Which one?\n\n${choices.map((choice) => `• ${choice}`).join('\n')}`,
  );
});

test('deep nesting and a million marks take no longer than other texts', () => {
  const begin = performance.now();
  for (const markdown of ['> '.repeat(50_000), '**a'.repeat(300_000), '[a]('.repeat(100_000)])
    expect(toPlainText(markdown).length).toBeGreaterThan(0);
  expect(performance.now() - begin).toBeLessThan(20_000);
});
