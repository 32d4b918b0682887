import { expect, test } from 'vitest';
import { faultless, History, numbered } from './history.ts';

interface Recorded {
  accepted: readonly number[];
  answered: readonly number[];
  uncertain?: readonly number[];
  apologized?: readonly number[];
  givenUp?: readonly number[];
  apologies?: number;
}

function verdictOf({
  accepted,
  answered,
  uncertain = [],
  apologized = [],
  givenUp = [],
  apologies = 0,
}: Recorded) {
  const history = new History();
  for (const number of accepted) history.accept('a', number);
  for (const number of answered) history.answer(`re: ${numbered('a', number)}`);
  for (let count = 0; count < apologies; count++) history.answer('Sorry.');
  return history.verdict({
    uncertain: uncertain.map((number) => `re: ${numbered('a', number)}`),
    apologized: apologized.map((number) => numbered('a', number)),
    givenUp: givenUp.map((number) => `re: ${numbered('a', number)}`),
  });
}

test("a notice that an answer takes longer doesn't count as the answer", () => {
  const history = new History();
  history.accept('a', 1);
  history.answer('This takes longer than usual. I am still working on it.');
  expect(history.verdict({ apologized: [numbered('a', 1)] })).toMatchObject({ lost: 1, strange: 0 });
  history.answer('Sorry.');
  expect(history.verdict({ apologized: [numbered('a', 1)] })).toMatchObject({ lost: 0, strange: 0 });
});

test.each<[string, Recorded, object]>([
  ['all is right', { accepted: [1, 2, 3], answered: [1, 2, 3] }, {}],
  ['one is missing', { accepted: [1, 2, 3], answered: [1, 3] }, { lost: 1 }],
  ['one came twice', { accepted: [1, 2], answered: [1, 2, 1] }, { duplicated: 1, unmarked: 1 }],
  [
    'one came twice, as it was said',
    { accepted: [1, 2], answered: [1, 2, 1], uncertain: [1] },
    { duplicated: 1, uncertain: 1 },
  ],
  [
    'one came twice, and another was said to',
    { accepted: [1, 2], answered: [1, 2, 1], uncertain: [2] },
    { duplicated: 1, uncertain: 1, unmarked: 1 },
  ],
  [
    'one may have come twice, and did not',
    { accepted: [1], answered: [1], uncertain: [1] },
    { uncertain: 1 },
  ],
  ['one came after a later one', { accepted: [1, 2, 3], answered: [1, 3, 2] }, { inverted: 1 }],
  ['an apology is an answer', { accepted: [1, 2], answered: [1], apologized: [2], apologies: 1 }, {}],
  ['an apology is missing', { accepted: [1, 2], answered: [1], apologized: [2] }, { lost: 1 }],
  ['an answer is given up', { accepted: [1, 2, 3], answered: [1], givenUp: [2] }, { lost: 1 }],
  ['an apology that nobody owed', { accepted: [1], answered: [1], apologies: 1 }, { strange: 1 }],
  ['one answers what was refused', { accepted: [1], answered: [1, 2] }, { strange: 1 }],
])('%s', (_what, recorded, faults) => {
  expect(verdictOf(recorded)).toEqual({ accepted: recorded.accepted.length, ...faultless, ...faults });
});

test('each chat is judged separately', () => {
  const history = new History();
  for (const number of [1, 2]) history.accept('a', number);
  history.answer(numbered('a', 2));
  history.accept('b', 1);
  history.answer(numbered('b', 1));
  history.answer(numbered('a', 1));
  expect(history.verdict()).toEqual({ accepted: 3, ...faultless, inverted: 1 });
});
