import { beforeEach, describe, expect, test } from 'vitest';
import { type CallResult, CircuitBreaker } from '../../../src/models/clients/circuit-breaker.ts';
import { RetryBudget } from '../../../src/models/clients/retry-budget.ts';

let nowMs: number;
let breaker: CircuitBreaker;

beforeEach(() => {
  nowMs = 0;
  const now = () => nowMs;
  breaker = new CircuitBreaker({ maxFailures: 3, openMs: 1000, longestOpenMs: 3000, now });
});

/** Returns whether a call was let through; it ends immediately with this result. */
const call = (result: CallResult): boolean => {
  const end = breaker.begin();
  end?.(result);
  return end !== undefined;
};
const open = () => {
  for (let failures = 0; failures < 3; failures += 1) call('failed');
};

describe('a circuit breaker', () => {
  test('opens after so many failures in a row, and not before', () => {
    for (const result of ['failed', 'failed', 'ok', 'failed', 'failed', 'unknown'] as const)
      expect(call(result)).toBe(true);
    expect(call('failed')).toBe(true);
    expect(call('ok')).toBe(false);
  });

  test('admits one probe after its time; others wait for its result', () => {
    open();
    nowMs = 999;
    expect(breaker.begin()).toBeUndefined();
    nowMs = 1000;
    const probe = breaker.begin();
    expect(probe).toBeDefined();
    expect(breaker.begin()).toBeUndefined();
    probe?.('ok');
    expect(call('failed')).toBe(true);
    expect(call('failed')).toBe(true);
    expect(call('ok')).toBe(true);
  });

  test('a probe that fails opens it again, for twice as long up to a limit', () => {
    open();
    for (const [waitMs, openMs] of [
      [1000, 2000],
      [2000, 3000],
      [3000, 3000],
    ] as const) {
      nowMs += waitMs;
      expect(call('failed')).toBe(true);
      nowMs += openMs - 1;
      expect(breaker.begin()).toBeUndefined();
      nowMs -= openMs - 1;
    }
  });

  test('a probe that was stopped from here makes room for another one', () => {
    open();
    nowMs = 1000;
    expect(call('unknown')).toBe(true);
    expect(call('ok')).toBe(true);
    expect(call('ok')).toBe(true);
  });

  test('calls that began before it opened and end later change nothing', () => {
    const early = [breaker.begin(), breaker.begin()];
    open();
    early[0]?.('ok');
    expect(breaker.begin()).toBeUndefined();
    nowMs = 1000;
    const probe = breaker.begin();
    early[1]?.('failed');
    probe?.('ok');
    expect(call('ok')).toBe(true);
  });
});

describe('a retry budget', () => {
  test('is ten tries, and one more for ten calls', () => {
    const budget = new RetryBudget(() => nowMs);
    const spent = () => Array.from({ length: 20 }, () => budget.spend()).filter(Boolean).length;
    expect(spent()).toBe(10);
    for (let calls = 0; calls < 35; calls += 1) budget.earn();
    expect(spent()).toBe(3);
  });

  test('is refilled with time for rare callers, up to ten', () => {
    const budget = new RetryBudget(() => nowMs);
    const spent = () => Array.from({ length: 20 }, () => budget.spend()).filter(Boolean).length;
    spent();
    nowMs += 12_100;
    expect(spent()).toBe(2);
    nowMs += 3600_000;
    expect(spent()).toBe(10);
  });
});
