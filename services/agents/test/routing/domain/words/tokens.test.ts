import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stemsOf } from '../../../../src/routing/domain/words/languages.ts';
import { tokensOf } from '../../../../src/routing/domain/words/tokens.ts';

const limits = { units: 1000, words: 50 };
const significantWords = (text: string) =>
  tokensOf(text, limits).flatMap(({ folded, isStopWord }) => (isStopWord ? [] : [folded]));

test.each([
  ['English', 'What is in the invoice?', ['invoice']],
  ['German', 'Die Rechnung ist nicht da', ['rechnung']],
  ['French', "Où est la facture d'hier ?", ['facture', 'hier']],
  ['Spanish', '¿Dónde está mi paquete?', ['paquete']],
  ['Russian', 'Где моя посылка?', ['посылка']],
  ['Turkish', 'Kargom nerede kaldı', ['kargom', 'kaldi']],
])('stop words of %s are recognized by the language of the text', (_language, text, expected) => {
  expect(significantWords(text)).toEqual(expected);
});

test('a word of one language is no stop word in a text of another', () => {
  expect(significantWords('who won the battle of the war in our country')).toContain('war');
  expect(significantWords('das war nicht so')).not.toContain('war');
});

test('a text counts up to its limits, each word once', () => {
  expect(tokensOf('a b a b c', limits).map(({ folded }) => folded)).toEqual(['a', 'b', 'c']);
  expect(tokensOf('one two three', { units: 7, words: 50 })).toHaveLength(2);
  expect(tokensOf('one two three', { units: 100, words: 1 })).toHaveLength(1);
});

test('no word makes a stemmer throw', () => {
  const letters = ['abcäöüßñçéıİğşøåőű', 'абвгдежзиклмнопрстуїєґ', 'ابتثجحخدذرزسةأإئ', 'αβγδεζηθικάέήςϊΐ'];
  const word = fc
    .constantFrom(...letters)
    .chain((all) => fc.string({ unit: fc.constantFrom(...all), maxLength: 40 }));
  fc.assert(
    fc.property(fc.oneof(word, fc.string({ unit: 'binary', maxLength: 40 })), (text) => {
      expect(stemsOf(text, 'any').every((stem) => stem.includes(':'))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
