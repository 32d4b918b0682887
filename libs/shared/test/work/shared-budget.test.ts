import { SharedBudget } from '@botyard/shared/work/shared-budget';
import { expect, test } from 'vitest';

const refusal = expect.objectContaining({ status: 503, retryAfterSeconds: 1 });

test('an owner takes no more than its share, alone or together with others of its tenant', () => {
  const budget = new SharedBudget({ max: 100, what: 'streams' });
  const open = (person: string) =>
    budget.take([
      { owner: person, max: 2 },
      { owner: 'tenant', max: 3 },
    ]);
  const close = open('a');
  open('a');
  expect(() => open('a')).toThrow(refusal);
  open('b');
  expect(() => open('c')).toThrow(refusal);
  close();
  close();
  open('c');
  expect(() => open('d')).toThrow(refusal);
  expect(budget.total).toBe(3);
});

test('the reserve is left for owners that have little', () => {
  const budget = new SharedBudget({ max: 10, reserve: 4, what: 'streams' });
  const open = (owner: string) => budget.take([{ owner, max: 6, maxFromReserve: 1 }]);
  for (let count = 0; count < 6; count += 1) open('large');
  for (const owner of ['a', 'b', 'c']) {
    open(owner);
    expect(() => open(owner)).toThrow(refusal);
  }
  open('d');
  expect(() => open('e')).toThrow(refusal);
});

test('amounts count, and what is refused takes nothing', () => {
  const budget = new SharedBudget({ max: 100, what: 'bytes' });
  const giveBack = budget.take([{ owner: 'a', max: 60 }], 50);
  expect(() => budget.take([{ owner: 'a', max: 60 }], 20)).toThrow(refusal);
  expect(() => budget.take([{ owner: 'b', max: 60 }], 51)).toThrow(refusal);
  giveBack();
  budget.take([{ owner: 'b', max: 60 }], 51);
});
