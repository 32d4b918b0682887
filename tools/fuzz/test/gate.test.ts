import { expect, test } from 'vitest';
import { runPart } from './run-part.ts';

test('G-02: no request target gets past the gate, and none ends the gateway', {}, async () => {
  const { violations } = await runPart('gate', ['--targets', '20000']);
  expect(violations).toEqual([]);
});
