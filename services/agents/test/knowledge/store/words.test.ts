import { describe, expect, test } from 'vitest';
import { tsqueriesOf, tsvectorOf, wordsOf } from '../../../src/knowledge/store/words.ts';

describe('words', () => {
  test.each([
    ['Ärger über Élan, ÇA VA?', ['arger', 'uber', 'elan', 'ca', 'va']],
    ['and/or e-mail: jo@example.com', ['and', 'or', 'e', 'mail', 'jo', 'example', 'com']],
    ['Ｆｕｌｌ width ﬁne', ['full', 'width', 'fine']],
    ['Привет, мир! Ёлка', ['привет', 'мир', 'елка']],
    ['مرحبا بالعالم', ['مرحبا', 'بالعالم']],
    ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ['한국어 문장', ['한국어', '문장']],
    ["it's 42.5% — o'clock", ['it', 's', '42', '5', 'o', 'clock']],
    ["🙂 !!! ' \\ & | :*", []],
  ])('of %s are folded', (text, words) => expect(wordsOf(text)).toEqual(words));

  test('are separated in scripts without spaces', () => {
    expect(wordsOf('返品は三十日以内に受け付けます')).toContain('返品');
    expect(wordsOf('我们可以退货')).toContain('可以');
    expect(wordsOf('สวัสดีชาวโลก').length).toBeGreaterThan(1);
  });
});

test('a passage is a tsvector that quotes, operators and endless words can not break', () => {
  expect(tsvectorOf({ heading: 'Kettle', text: "a kettle's lid" })).toBe(
    "'kettle':1A,3B 'a':2B 's':4B 'lid':5B",
  );
  expect(tsvectorOf({ heading: '', text: `'; drop table x --\\ ${'y'.repeat(5000)}` })).toBe(
    `'drop':1B 'table':2B 'x':3B '${'y'.repeat(64)}':4B`,
  );
  const often = tsvectorOf({ heading: '', text: 'word '.repeat(1000) });
  expect(often.split(',')).toHaveLength(16);
});

test('a query finds other forms of long words by their beginning, and exact numbers', () => {
  expect(tsqueriesOf("Kettles, kettles & 12345 'or' !")).toEqual([
    "'kettles' | 'kettl':*",
    "'12345'",
    "'or'",
  ]);
  expect(tsqueriesOf(' ?! ')).toEqual([]);
  expect(tsqueriesOf('x '.repeat(10).concat([...'abcdefghijklmnopqrstuvwxyz'].join(' ')))).toHaveLength(24);
});
