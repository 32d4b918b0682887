import { expect, test } from 'vitest';
import { runPart } from './run-part.ts';

test('hostile deliveries are answered, refused where they must be, and harm nobody else', {}, async () => {
  const { violations } = await runPart('webhooks', ['--deliveries', '500']);
  expect(violations).toEqual([]);
});
