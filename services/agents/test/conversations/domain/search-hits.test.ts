import { expect, test } from 'vitest';
import { sentenceOf } from '../../../src/conversations/domain/search-hits.ts';

test.each([
  ['Hello. Where is my Refund now? Thanks.', 'refund', ['Where is my ', 'Refund', ' now?']],
  ['one line\nthe second \t line\nthree', 'SECOND', ['the ', 'second', ' line']],
  ['100% (of it) costs $5.00 today', '$5.00', ['100% (of it) costs ', '$5.00', ' today']],
  ['a-b/c [d]', '-b/c [', ['a', '-b/c [', 'd]']],
  ['refund', 'refund', ['', 'refund', '']],
  ['İstanbul', 'i̇stanbul', ['İstanbul', '', '']],
])('%j is found for %j in its sentence', (text, q, [before, match, after]) => {
  expect(sentenceOf(text, q)).toEqual({ before, match, after });
});
