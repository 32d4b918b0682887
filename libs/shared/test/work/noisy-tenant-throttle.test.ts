import { createMetrics } from '@botyard/shared/service/metrics';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NoisyTenantThrottle } from '../../src/work/noisy-tenant-throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** A linear congruential generator: from 0 up to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Pieces that work for `workMs` and then wait for something outside until the test ends them; notes whose has begun.
 */
function setUp({ workMs = 10, maxWaitMs }: { workMs?: number; maxWaitMs?: number } = {}) {
  const metrics = createMetrics('test');
  const throttle = new NoisyTenantThrottle({
    work: 'pieces',
    metrics,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
  });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const come = (tenantId: string, pieces = 1) => {
    for (let piece = 0; piece < pieces; piece += 1) {
      void throttle.run(tenantId, async (worked) => {
        begun.push(tenantId);
        setTimeout(worked, workMs);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    }
  };
  const begunOf = (tenantId: string) => begun.filter((one) => one === tenantId).length;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const countWaits = async () =>
    (await metrics.registry.getSingleMetric('throttled_work_total')?.get())?.values[0]?.value ?? 0;
  return { throttle, ends, come, begunOf, pass, countWaits };
}

test('a noisy tenant alone starts immediately', async () => {
  const { come, begunOf, pass, countWaits } = setUp();
  come('noisy', 100);
  await pass(0);
  expect(begunOf('noisy')).toBe(100);
  expect(await countWaits()).toBe(0);
});

test('a noisy tenant gets a fifth of the time beside others, and a tenant with single requests never waits', async () => {
  const { come, begunOf, pass, countWaits } = setUp({ workMs: 10 });
  come('quiet');
  come('noisy', 1000);
  await pass(0);
  expect(await countWaits()).toBe(984);
  // Pieces that arrive before the tenant is noisy start immediately, and so does the first one after that.
  const atOnce = begunOf('noisy');
  expect(atOnce).toBe(17);
  for (let second = 1; second <= 3; second += 1) {
    await pass(1000);
    come('quiet');
    await pass(0);
    expect(begunOf('quiet')).toBe(1 + second);
    // 10 ms of work and 40 ms of rest.
    expect(begunOf('noisy') - atOnce).toBe(20 * second);
  }
});

test('several noisy tenants share the fifth', async () => {
  const { throttle, begunOf, come, pass } = setUp({ workMs: 10 });
  come('quiet');
  come('noisy', 500);
  // Noisy for two seconds more, when the other one outnumbers it.
  come('louder', 5000);
  const before = begunOf('noisy') + begunOf('louder');
  await pass(1000);
  expect(begunOf('noisy') + begunOf('louder') - before).toBeLessThanOrEqual(21);
  throttle.stop();
});

test('no tenant is noisy among several with similar loads, even if one of them has less for a moment', async () => {
  const { throttle, pass } = setUp();
  const took: number[] = [];
  // Like a platform: a number of connections, each with the next piece when the last one is done.
  const random = seeded(7);
  const connection = async () => {
    for (let piece = 0; piece < 200; piece += 1) {
      const beganAt = performance.now();
      const name = random() < 0.5 ? 'one' : 'other';
      await throttle.run(name, () => new Promise<void>((resolve) => setTimeout(resolve, 10)));
      took.push(performance.now() - beganAt);
    }
  };
  const connections = Promise.all(Array.from({ length: 32 }, connection));
  await pass(30_000);
  await connections;
  expect(Math.max(...took)).toBeLessThan(50);
});

test('no piece waits longer than its limit, for any number of pieces, and most start earlier', async () => {
  const { throttle, come, begunOf, pass } = setUp({ workMs: 100, maxWaitMs: 600 });
  come('quiet');
  come('noisy', 617);
  await pass(300);
  expect(begunOf('noisy') - 17).toBeGreaterThan(150);
  expect(begunOf('noisy') - 17).toBeLessThan(350);
  await pass(300);
  expect(begunOf('noisy')).toBe(617);
  throttle.stop();
});

test('a piece that works for long delays the next one by a second at most, and its rest is no longer', async () => {
  const { come, begunOf, pass } = setUp({ workMs: 60_000 });
  come('quiet');
  come('noisy', 100);
  await pass(0);
  const atOnce = begunOf('noisy');
  await pass(5000);
  expect(begunOf('noisy') - atOnce).toBe(5);
});

test('pieces that waited because of others start as soon as the tenant is alone', async () => {
  const { come, begunOf, pass } = setUp({ workMs: 100 });
  come('quiet');
  await pass(8000);
  come('noisy', 500);
  await pass(1900);
  expect(begunOf('noisy')).toBeLessThan(30);
  await pass(200);
  come('noisy');
  await pass(0);
  expect(begunOf('noisy')).toBe(501);
});

test('a tenant that is no longer noisy is no longer delayed, and failed work counts as finished', async () => {
  const { throttle, ends, come, begunOf, pass } = setUp();
  come('quiet');
  come('busy', 16);
  await expect(throttle.run('busy', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  for (const end of ends) end();
  await pass(2100);
  come('quiet');
  come('busy', 16);
  await pass(0);
  expect(begunOf('busy')).toBe(32);
});

test("when the process stops, waiting pieces start, and later ones don't wait", async () => {
  const { throttle, come, begunOf, pass } = setUp();
  come('quiet');
  come('noisy', 50);
  throttle.stop();
  come('noisy', 50);
  await pass(0);
  expect(begunOf('noisy')).toBe(100);
});
