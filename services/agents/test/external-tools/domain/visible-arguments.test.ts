import { expect, test } from 'vitest';
import { visibleArguments } from '../../../src/external-tools/domain/calls/visible-arguments.ts';

const shown = (text: string): string => visibleArguments(JSON.stringify({ text })).split('"')[3] ?? '';

test.each([
  ['a control character', 'a\u0007b', '\\u0007'],
  ['a C1 control character', 'a\u009bb', '\\u009b'],
  ['a bidirectional override', 'exe\u202egpj', '\\u202e'],
  ['a zero-width space', 'pay\u200bpal', '\\u200b'],
  ['a no-break space', 'a\u00a0b', '\\u00a0'],
  ['an invisible letter', 'a\u3164b', '\\u3164'],
  ['a variation selector', 'a\ufe0f', '\\ufe0f'],
  ['half of a surrogate pair', 'a\ud800b', '\\ud800'],
  ['a mark beside its letter', 'cafe\u0301', '\\u0301'],
  ['a Cyrillic letter in a Latin word', 'p\u0430ypal', 'p\\u0430ypal'],
  ['a Cyrillic word that reads as a Latin one', '\u0441\u043e\u0441\u043e', '\\u0441\\u043e\\u0441\\u043e'],
  ['a full-width letter', '\uff41dmin', '\\uff41dmin'],
  ['a mathematical letter', '\u{1d41a}dmin', '\\ud835\\udc1admin'],
  ['another hyphen', 'a\u2010b', '\\u2010'],
  ['a tag character', 'a\u{e0041}', '\\udb40\\udc41'],
])('%s is written as its code', (_case, text, code) => {
  expect(shown(text)).toContain(code);
});

test.each([
  'Grüße aus Köln',
  'Привет, мир',
  'Γειά σου',
  '日本語と한국어',
  'مرحبا',
  'שלום',
  'हिन्दी',
  'ไทย',
  '👍🏽 – ok…',
])('ordinary text stays readable: %s', (text) => {
  expect(shown(text)).toBe(text);
});

test('the text has the value of the arguments, whatever they are', () => {
  const everything = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).join('');
  const args = { everything, '\u202ename': [1, null, { deep: '\\u0041' }] };
  expect(JSON.parse(visibleArguments(JSON.stringify(args)))).toEqual(args);
});
