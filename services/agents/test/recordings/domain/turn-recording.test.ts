import { expect, test } from 'vitest';
import { type UsedCall, withinBounds } from '../../../src/recordings/domain/turn-recording.ts';

const now = '2026-01-01T00:00:00.000Z';
const callOf = (result: string): UsedCall => ({
  name: 'find',
  kind: 'external',
  arguments: {},
  outcome: 'ok',
  result,
});
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a recording that fits is kept as it is', () => {
  const used = { calls: [callOf('x')], passages: [{ sourceId: 's', title: 't', text: 'p' }], question: 'q' };
  expect(withinBounds(used, now)).toEqual({ ...used, now, isCut: false });
});

test.each([
  ['plain', 'x'],
  ['of control characters', '\u0001'],
  ['of emoji', '😀'],
])('a recording %s has at most 64 kB, uses most of them, and says where it was cut', (_what, unit) => {
  const calls = Array.from({ length: 12 }, () => callOf(unit.repeat(8000)));
  const passages = Array.from({ length: 20 }, () => ({ sourceId: 's', title: 't', text: unit.repeat(1500) }));
  const kept = withinBounds({ calls, passages, question: unit.repeat(12_000) }, now);
  expect(bytesOf(kept)).toBeLessThanOrEqual(64 * 1024);
  expect(bytesOf(kept)).toBeGreaterThan(60 * 1024);
  expect(kept.isCut).toBe(true);
  const cutCalls = kept.calls.filter(({ isCut }) => isCut);
  expect(cutCalls).toHaveLength(1);
  expect(kept.calls.at(-1)).toBe(cutCalls[0]);
  expect(JSON.stringify(kept)).not.toMatch(/\\ud83d(?!\\ude00)/i);
});
