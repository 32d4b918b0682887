import { expect, test } from 'vitest';
import { runPart } from './run-part.ts';

test('random calls of every contract break no promise', async () => {
  const { violations } = await runPart('contracts', ['--calls', '500']);
  expect(violations).toEqual([]);
});
