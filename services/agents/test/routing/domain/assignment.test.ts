import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignmentsFor } from '../../../src/routing/domain/assignment.ts';
import { agent, assignment } from './routed.ts';

const anybody = agent('anybody');
const order = (
  all: Parameters<typeof assignmentsFor>[0],
  message = 'hello',
  language: string | null = null,
) => assignmentsFor(all, { message, language }).map(({ assignmentId }) => assignmentId);

test('the highest priority counts first, then the narrowest place, then the oldest', () => {
  const ranked = [
    assignment('9', anybody, { priority: 2 }),
    assignment('8', anybody, { priority: 1, chatId: 'c' }),
    assignment('7', anybody, { priority: 1, groupId: 'g', threadId: '3' }),
    assignment('6', anybody, { priority: 1, groupId: 'g' }),
    assignment('5', anybody, { priority: 1, kind: 'group' }),
    assignment('1', anybody, { priority: 1 }),
    assignment('2', anybody, { priority: 1 }),
  ];
  const expected = ranked.map(({ assignmentId }) => assignmentId);
  fc.assert(
    fc.property(fc.shuffledSubarray(ranked, { minLength: ranked.length }), (shuffled) => {
      expect(order(shuffled)).toEqual(expected);
    }),
  );
});

test.each([
  ['refund', 'I want a Refund!', true],
  ['refund', 'refunds', false],
  ['re fund', 'please re-fund me', true],
  ['größe', 'Welche GRO\u0308ßE?', true],
  ['退款', '我想要退款。', true],
  ['c++', 'c++ is fun', true],
  ['+++', 'anything', false],
  ['\u202e', 'anything', false],
])('the keyword %j in %j: %s', (keyword, message, isHeld) => {
  expect(order([assignment('1', anybody, { keywords: ['other', keyword] })], message)).toEqual(
    isHeld ? ['1'] : [],
  );
});

test.each([
  ['de', 'de', true],
  ['de', 'de-AT', true],
  ['pt-br', 'pt', true],
  ['de', 'en', false],
  ['de', null, false],
])('the language %s with an app in %s: %s', (language, app, isHeld) => {
  expect(order([assignment('1', anybody, { language })], 'hello', app)).toEqual(isHeld ? ['1'] : []);
});
