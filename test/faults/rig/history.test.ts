import { expect, test } from 'vitest';
import { History, numbered } from './history.ts';

const right = { lost: 0, duplicated: 0, inverted: 0, strange: 0 };

function historyOf(accepted: readonly number[], answered: readonly number[]): History {
  const history = new History();
  for (const number of accepted) history.accept('a', number);
  for (const number of answered) history.answer(`re: ${numbered('a', number)}`);
  return history;
}

test.each([
  ['all is right', [1, 2, 3], [1, 2, 3], {}],
  ['one is missing', [1, 2, 3], [1, 3], { lost: 1 }],
  ['one came twice', [1, 2], [1, 2, 1], { duplicated: 1 }],
  ['one came after a later one', [1, 2, 3], [1, 3, 2], { inverted: 1 }],
  ['one answers what was refused', [1], [1, 2], { strange: 1 }],
])('%s', (_what, accepted, answered, faults) => {
  expect(historyOf(accepted, answered).verdict()).toEqual({
    accepted: accepted.length,
    ...right,
    ...faults,
  });
});

test('chats are judged each by itself', () => {
  const history = historyOf([1, 2], [2]);
  history.accept('b', 1);
  history.answer(numbered('b', 1));
  history.answer(numbered('a', 1));
  expect(history.verdict()).toEqual({ accepted: 3, ...right, inverted: 1 });
});
