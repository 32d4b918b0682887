import { expect, test } from 'vitest';
import { FairBudget } from '../../src/work/fair-budget.ts';

const limits = { maxBytes: 100, maxBytesOfOne: 40 };
const newBudget = () => new FairBudget({ strangers: limits, tenants: limits, what: 'bytes', maxWaitMs: 60 });

test('a delivery over the share of its address is refused, and those of others are not', async () => {
  const budget = newBudget();
  const held = budget.open({ address: 'a' });
  await held.hold(40);
  await expect(budget.open({ address: 'a' }).hold(1)).rejects.toMatchObject({ status: 503 });
  await budget.open({ address: 'b' }).hold(40);
  held.end();
  await budget.open({ address: 'a' }).hold(1);
});

test('a delivery over its share waits for the others of its owner', async () => {
  const budget = new FairBudget({ strangers: limits, tenants: limits, what: 'bytes' });
  const first = budget.open({ address: 'a' });
  await first.hold(40);
  const second = budget.open({ address: 'a' }).hold(30);
  first.end();
  await second;
  expect(budget.taken).toBe(30);
});

test('where there is no room, the oldest delivery of the owner that holds the most makes it', async () => {
  const budget = newBudget();
  const [largest, second] = [budget.open({ address: 'a' }), budget.open({ address: 'a' })];
  await largest.hold(25);
  await second.hold(15);
  await budget.open({ address: 'b' }).hold(30);
  await budget.open({ address: 'c' }).hold(30);
  await budget.open({ address: 'd' }).hold(10);
  expect([largest.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  await expect(largest.add(1)).rejects.toMatchObject({ status: 503 });
  expect(budget.taken).toBe(85);
});

test('strangers take nothing from tenants, and a proven delivery leaves their share', async () => {
  const budget = newBudget();
  for (const address of ['a', 'b']) await budget.open({ address }).hold(40);
  const proven = budget.open({ address: 'c' });
  await proven.hold(20);
  await proven.chargeTo({ tenantId: 'one' });
  await budget.open({ address: 'd' }).hold(20);
  await expect(budget.open({ tenantId: 'one' }).hold(30)).rejects.toMatchObject({ status: 503 });
  await budget.open({ tenantId: 'other' }).hold(40);
  expect(budget.taken).toBe(160);
});

test('bytes that are no longer held are given back', async () => {
  const budget = newBudget();
  const held = budget.open({ address: 'a' });
  await held.hold(40);
  await held.hold(5);
  await budget.open({ address: 'a' }).hold(35);
  held.end();
  held.end();
  expect(budget.taken).toBe(35);
});

test('a delivery that has arrived makes no room for others; a later one of its owner does', async () => {
  const budget = newBudget();
  const [first, second] = [budget.open({ address: 'a' }), budget.open({ address: 'a' })];
  await first.hold(20);
  first.arrived();
  await second.hold(20);
  for (const address of ['b', 'c']) await budget.open({ address }).hold(30);
  await budget.open({ address: 'd' }).hold(10);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
});
