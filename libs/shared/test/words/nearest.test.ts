import { expect, test } from 'vitest';
import { nearest } from '../../src/words/nearest.ts';

const names = ['name', 'agentIds', 'enabled', 'joinWindowMs', 'description'];

test.each([
  ['nmae', 'name'],
  ['Name', 'name'],
  ['agentIDs', 'agentIds'],
  ['agent_ids', 'agentIds'],
  ['agentId', 'agentIds'],
  ['enabeld', 'enabled'],
  ['joinWindow', 'joinWindowMs'],
  ['joinWin', undefined],
  ['descripton', 'description'],
  ['nam', undefined],
  ['na', undefined],
  ['', undefined],
  ['__proto__', undefined],
  ['nothing', undefined],
])('%s is meant to be %s', (word, meant) => {
  expect(nearest(word, names)).toBe(meant);
});

test('a name of any length is looked at only where it may be a slip', () => {
  expect(nearest(`name${'x'.repeat(1_000_000)}`, names)).toBeUndefined();
});
