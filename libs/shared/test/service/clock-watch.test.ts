import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/log/log.ts';
import { ClockWatch } from '../../src/service/clock-watch.ts';
import { createMetrics } from '../../src/service/metrics.ts';
import { StallMonitor, stateOf } from '../../src/service/stalls.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A process whose clock differs from another one by the current `offsetMs`. */
function watching() {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
  const stalls = new StallMonitor({ log });
  const other = { offsetMs: 0, isAway: false };
  const watch = new ClockWatch({
    others: [
      {
        name: 'Postgres',
        read: async () => {
          if (other.isAway) throw new Error('away');
          return Date.now() + other.offsetMs;
        },
      },
    ],
    stalls,
    metrics: createMetrics('test'),
  });
  watch.start();
  return { other, watch, state: () => stateOf(stalls), lines };
}

describe('a clock that differs', () => {
  test('by up to 10 s is no fault, by more it shows within 20 s, is logged once, and ends with the difference', async () => {
    const { other, watch, state, lines } = watching();
    other.offsetMs = 9000;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(state()).toBe('ok');
    other.offsetMs = 11_000;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state()).toBe("clock: this process's clock is 11 s behind that of Postgres");
    other.offsetMs = 12_000;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(lines.filter((line) => line.includes('stalled: clock'))).toHaveLength(1);
    other.offsetMs = 0;
    await vi.advanceTimersByTimeAsync(2000);
    expect(state()).toBe('ok');
    watch.stop();
  });

  test('is shown as well where this process is ahead', async () => {
    const { other, watch, state } = watching();
    other.offsetMs = -11_000;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state()).toBe("clock: this process's clock is 11 s ahead of that of Postgres");
    watch.stop();
  });

  test("a larger difference that is brief, or that can't be confirmed, changes nothing", async () => {
    const { other, watch, state } = watching();
    other.isAway = true;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(state()).toBe('ok');
    other.isAway = false;
    other.offsetMs = -60_000;
    await vi.advanceTimersByTimeAsync(4000);
    expect(state()).toBe('ok');
    other.offsetMs = 0;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(state()).toBe('ok');
    watch.stop();
  });
});
