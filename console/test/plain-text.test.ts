import { expect, test } from 'vitest';
import { plainOf } from '../src/parts/plain-text.ts';

test.each([
  ['I am **bold**, say `npm start`.', 'I am bold, say npm start.'],
  ['one\ntwo _quietly_ *too* ~~gone~~', 'one two quietly too gone'],
  ['# Title\n\n- one\n- two', 'Title one two'],
  ['3. three\n4) four', 'three four'],
  ['> said', 'said'],
  ['```js\na < b\n```', 'a < b'],
  ['|a|b|\n|-|-|\n|1|2|', 'a b 1 2'],
  ['[your bank](https://evil.example/x) ![p](https://evil.example/a.png)', 'your bank p'],
  ['***both***', 'both'],
])('the list shows the words of an answer without its formatting: %j', (text, words) => {
  expect(plainOf(text)).toBe(words);
});

test.each(['snake_case_names and 2 ** 3 ** 4', '**never closed', '5 * 3 < 20', 'a | b', '<b>no mark</b>'])(
  'other signs are not changed: %s',
  (text) => {
    expect(plainOf(text)).toBe(text);
  },
);

test('a hostile text of 20,000 characters takes no time that a person would notice', () => {
  const begin = performance.now();
  for (const piece of ['*a', '_a ', '[', '[a](', '|', '` ', '~~', '- ', '# ', '**a'])
    plainOf(piece.repeat(20_000 / piece.length));
  expect(performance.now() - begin).toBeLessThan(1000);
});
