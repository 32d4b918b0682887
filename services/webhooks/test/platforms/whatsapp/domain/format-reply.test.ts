import { expect, test } from 'vitest';
import { formatReply, maxMessageUnits } from '../../../../src/platforms/whatsapp/domain/format-reply.ts';

const textOf = (markdown: string) =>
  formatReply(markdown)
    .map(({ text }) => text)
    .join('\n---\n');

test.each([
  ['**bold**, _slanted_ and ~~struck~~', '*bold*, _slanted_ and ~struck~'],
  ['***both***', '*_both_*'],
  ['# Title\n\ntext', '*Title*\n\ntext'],
  ['`a*b`', '`a*b`'],
  ['```js\nlet a = 1;\n```', '```let a = 1;```'],
  ['> first\n> second', '> first\n> second'],
  ['- one\n- two', '• one\n• two'],
  ['[our shop](https://shop.example)', 'our shop (https://shop.example)'],
  ['**[our shop](https://shop.example)**', '*our shop* (https://shop.example)'],
  ['https://shop.example', 'https://shop.example'],
])('%j is shown as %j', (markdown, text) => {
  expect(textOf(markdown)).toBe(text);
});

test('marks that WhatsApp would show are left out', () => {
  expect(textOf('un**believ**able')).toBe('unbelievable');
  expect(textOf('**a*b**')).toBe('a*b');
});

test('marks that the model wrote as text are not read as formatting', () => {
  expect(textOf('\\*not bold\\*')).toBe('*\u2060not bold*');
  expect(textOf('2 * 3 * 4 and a_b_c')).toBe('2 * 3 * 4 and a_b_c');
});

test('a long answer is several messages within the limit, with all of its words', () => {
  const words = Array.from({ length: 3000 }, (_, index) => `**w${index}** plain`);
  const parts = formatReply(words.join(' '));
  expect(parts.every(({ text }) => text.length <= maxMessageUnits)).toBe(true);
  expect(
    parts
      .map(({ text }) => text)
      .join(' ')
      .match(/\*w\d+\*/g)?.length,
  ).toBe(3000);
});
