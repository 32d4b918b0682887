import { expect, test } from 'vitest';
import { mayRate, ratingOf } from '../../../src/rating-questions/domain/rating-of-message.ts';

const question = { seq: 2, choices: ['👍 Yes', '👎 No'], ratedReplyId: 'reply' };
const rated = (text: string, isLast: boolean) =>
  ratingOf(text, { question, isLast, bot: undefined })?.rating ?? null;

test.each([
  ['👍 Yes', 'up', 'up'],
  ['👎 No', 'down', 'down'],
  ['YES', 'up', null],
  ['no.', 'down', null],
  ['👍', 'up', null],
  ['👎🏿', 'down', null],
  ['👍 no', null, null],
  ['no 👎', 'down', null],
  ['no way', null, null],
  ['yes and no', null, null],
  ['😀', null, null],
  ['...', null, null],
  ['', null, null],
] as const)('%j is %s as the reply to the question, and %s after something else', (text, atOnce, later) => {
  expect([rated(text, true), rated(text, false)]).toEqual([atOnce, later]);
});

test('choices without letters are told apart by their signs', () => {
  const signs = { ...question, choices: ['👍', '👎'] };
  const of = (text: string) => ratingOf(text, { question: signs, isLast: true, bot: undefined })?.rating;
  expect(['👍', '👎', '👎🏻', 'yes'].map(of)).toEqual(['up', 'down', 'down', undefined]);
});

test.each([
  ['a command', { text: 'Yes', command: { name: 'x', argument: '' }, attachment: null }],
  ['a file', { text: 'Yes', command: null, attachment: { kind: 'photo' } }],
  ['a long text', { text: 'Yes '.repeat(20), command: null, attachment: null }],
])('%s is no rating', (_what, message) => {
  expect(mayRate(message as Parameters<typeof mayRate>[0])).toBe(false);
});
