import { expect, test } from 'vitest';
import { plainLines, plainText, printableJson } from '../../src/log/plain-text.ts';

test.each([
  ['a color', 'a\u001b[31mb\u001b[0m', 'ab'],
  ['a color in eight bits', 'a\u009b31mb', 'ab'],
  ['a title of the window', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a title that ends with ST', 'a\u001b]0;owned\u001b\\b', 'ab'],
  ['a link', '\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a title without an end', 'a\u001b]0;owned and more', 'a'],
  ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['a reset', 'a\u001bcb', 'ab'],
  ['a character set', 'a\u001b(0b', 'ab'],
  ['a bell and a backspace', 'a\u0007\b\bb', 'ab'],
  ['a carriage return', 'harmless\rroot#', 'harmless root#'],
  ['lines of every kind', 'a\r\nb\u0085c\u2028d', 'a b c d'],
  ['an override of direction', 'a\u202eb\u2066c\u2069\u200fd', 'abcd'],
  ['what can not be seen', 'a\u200bb\ufeff\u00ad\u{e0041}c', 'abc'],
  ['half of a pair', 'a\ud800b', 'ab'],
])('%s does not reach a terminal', (_name, text, plain) => {
  expect(plainText(text)).toBe(plain);
});

test('other text stays as it is, with emoji and joiners', () => {
  for (const text of ['Zoë 東京 עברית', '👩‍💻 done', 'می‌خواهم', 'a – b']) expect(plainText(text)).toBe(text);
});

test('a long text is cut, in linear time', () => {
  expect(plainText('x'.repeat(1000), 10)).toBe(`${'x'.repeat(9)}…`);
  const started = performance.now();
  plainText('\u001b]'.repeat(5_000_000), 1_000_000);
  expect(performance.now() - started).toBeLessThan(2000);
});

test('a text of several lines keeps its breaks and tabs, and nothing else that a terminal obeys', () => {
  expect(plainLines('a\tb\r\nc\u001b[2J\nd\u202e\rroot#')).toBe('a\tb\nc\nd root#');
});

test('a line of a log has no character that a terminal obeys, and the same meaning', () => {
  const line = JSON.stringify({ name: 'a\u001b[31m\u009b31m\u202e\u2066b\u007f' });
  const printable = printableJson(line);
  expect(printable).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(printable)).toEqual(JSON.parse(line));
  expect(printableJson('{"a":"Zoë 👩‍💻"}')).toBe('{"a":"Zoë 👩‍💻"}');
});
