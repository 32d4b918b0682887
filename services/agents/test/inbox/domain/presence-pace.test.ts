import { expect, test } from 'vitest';
import { PresencePace } from '../../../src/inbox/domain/presence-pace.ts';

function paceAt(startMs: number) {
  const clock = { now: startMs };
  return { clock, pace: new PresencePace(() => clock.now) };
}

const admitted = (pace: PresencePace, calls: number, caller: (call: number) => string, tenantId = 'acme') =>
  Array.from({ length: calls }, (_, call) => pace.admits({ tenantId, userId: caller(call) })).filter(Boolean)
    .length;

test('a person shows presence six times at once, and then once every 3 seconds', () => {
  const { clock, pace } = paceAt(1_000_000);
  expect(admitted(pace, 20, () => 'ada')).toBe(6);
  clock.now += 2999;
  expect(admitted(pace, 20, () => 'ada')).toBe(0);
  clock.now += 1;
  expect(admitted(pace, 20, () => 'ada')).toBe(1);
  expect(admitted(pace, 20, () => 'ben')).toBe(6);
});

test('a busy person uses up nothing of their colleagues, nor a tenant of another', () => {
  const { pace } = paceAt(1_000_000);
  expect(admitted(pace, 10_000, () => 'ada')).toBe(6);
  expect(admitted(pace, 500, (call) => `colleague ${call}`)).toBe(94);
  expect(admitted(pace, 500, (call) => `colleague ${call}`, 'other')).toBe(100);
});
