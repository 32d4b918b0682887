import { expect, test } from 'vitest';
import { readPosition, writePosition } from '../../../src/live/domain/position.ts';

const position = {
  webhooks: { createdMs: 1_764_000_000_000, seq: 12_345 },
  agents: { createdMs: 1_764_000_000_001, seq: 0 },
  usage: { createdMs: 0, seq: 0 },
};

test('an identifier encodes positions and a time', () => {
  const written = writePosition(position, 1_764_000_123_456.7);
  expect(readPosition(written)).toEqual({ atMs: 1_764_000_123_456, position });
});

test.each([
  '',
  '0',
  '1-2-3',
  'a-b-c-d-e-f-g-h',
  'ZZ-1-1-1-1-1-1',
  '1-1-1-1-1-1-',
  `${'z'.repeat(12)}-1-1-1-1-1-1`,
  '-'.repeat(100_000),
])('a foreign identifier is ignored: %j', (text) => {
  expect(readPosition(text)).toBeUndefined();
});
