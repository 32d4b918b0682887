import { expect, test } from 'vitest';
import { toKeyboard } from '../../../../src/platforms/telegram/domain/keyboard.ts';

test('short choices share a row, long ones have a row of their own, and all keep their order', () => {
  const long = 'I want to speak with a person';
  const rows = toKeyboard(['Yes', 'No', 'Later', 'Never', long, 'Ok']);
  expect(rows.map((row) => row.map(({ text }) => text))).toEqual([
    ['Yes', 'No', 'Later'],
    ['Never'],
    [long],
    ['Ok'],
  ]);
});

test('the data of a button is its text, or its beginning and its number where it is longer than 64 bytes', () => {
  const choices = ['Yes', ...['a', 'b'].map((end) => `${'語'.repeat(39)}${end}`), '👍'.repeat(20)];
  const data = toKeyboard(choices).flatMap((row) => row.map(({ callback_data }) => callback_data));
  expect(data.every((one) => Buffer.byteLength(one) <= 64 && one.isWellFormed())).toBe(true);
  expect(new Set(data).size).toBe(choices.length);
  expect(data[0]).toBe('Yes');
  expect(data[1]).toMatch(/^語{19}… 2$/);
});
