import { createMetrics } from '@botyard/shared/service/metrics';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NoisyTenantThrottle } from '../../src/work/noisy-tenant-throttle.ts';

const load = { isHigh: false, watch: () => undefined };

beforeEach(() => {
  load.isHigh = false;
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

/** Work that never ends by itself, so that all of it is under way together; notes whose has begun. */
function scene(options: { slowest: number; maxWaitMs?: number }) {
  const metrics = createMetrics('test');
  const throttle = new NoisyTenantThrottle({ work: 'pieces', load, metrics, ...options });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const come = (tenantId: string, pieces = 1) => {
    for (let piece = 0; piece < pieces; piece += 1) {
      void throttle.run(tenantId, () => {
        begun.push(tenantId);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    }
  };
  const begunOf = (tenantId: string) => begun.filter((one) => one === tenantId).length;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const countWaits = async () =>
    (await metrics.registry.getSingleMetric('throttled_work_total')?.get())?.values[0]?.value ?? 0;
  return { throttle, ends, come, begunOf, pass, countWaits };
}

test('a noisy tenant alone begins at once, however overloaded the machine is', async () => {
  load.isHigh = true;
  const { come, begunOf, pass, countWaits } = scene({ slowest: 10 });
  come('noisy', 100);
  await pass(0);
  expect(begunOf('noisy')).toBe(100);
  expect(await countWaits()).toBe(0);
});

test('while somebody else is here, a noisy tenant begins at its pace, and who comes one by one never waits', async () => {
  load.isHigh = true;
  const { come, begunOf, pass, countWaits } = scene({ slowest: 10 });
  come('quiet');
  come('noisy', 100);
  await pass(0);
  expect(await countWaits()).toBe(83);
  // What comes before it is a noisy tenant begins at once, and the first after that.
  const atOnce = begunOf('noisy');
  expect(atOnce).toBe(17);
  for (let second = 1; second <= 3; second += 1) {
    await pass(1000);
    come('quiet');
    await pass(0);
    expect(begunOf('quiet')).toBe(1 + second);
    expect(begunOf('noisy') - atOnce).toBeGreaterThanOrEqual(10 * second - 1);
    expect(begunOf('noisy') - atOnce).toBeLessThanOrEqual(10 * second + 1);
  }
});

test('of several that come in about the same numbers none is a noisy tenant, though somebody has less for a moment', async () => {
  load.isHigh = true;
  const { throttle, pass } = scene({ slowest: 1 });
  const took: number[] = [];
  // As a platform does: so many connections, each with the next piece when the last one is done, for whoever comes next.
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

test('the pace grows while the machine is at ease, and falls when it is overloaded', async () => {
  const { come, begunOf, pass } = scene({ slowest: 10 });
  come('quiet');
  come('noisy', 5000);
  const perSecond = async () => {
    const before = begunOf('noisy');
    await pass(1000);
    come('quiet');
    return begunOf('noisy') - before;
  };
  const [first, second, third] = [await perSecond(), await perSecond(), await perSecond()];
  expect(second).toBeGreaterThan(first * 1.3);
  expect(third).toBeGreaterThan(second * 1.3);
  load.isHigh = true;
  await perSecond();
  expect(await perSecond()).toBeLessThan(second);
});

test('near the pace that overloaded the machine last it grows slowly, so that it stays just below', async () => {
  const { come, begunOf, pass } = scene({ slowest: 10 });
  come('quiet');
  come('noisy', 20_000);
  let second = 0;
  const perSecond = async () => {
    const before = begunOf('noisy');
    await pass(1000);
    second += 1;
    come(`quiet ${second}`);
    return begunOf('noisy') - before;
  };
  while (second < 2) await perSecond();
  const tooFast = await perSecond();
  load.isHigh = true;
  await pass(160);
  load.isHigh = false;
  let [justBelow, above] = [0, 0];
  while (second < 12) {
    const pace = await perSecond();
    if (pace > tooFast * 1.9) above += 1;
    else if (pace > tooFast * 0.8) justBelow += 1;
  }
  expect(above).toBe(0);
  expect(justBelow).toBeGreaterThan(6);
});

test('where there is room for everybody, noisy tenants soon begin at once', async () => {
  const { come, begunOf, pass } = scene({ slowest: 40 });
  come('quiet');
  come('noisy', 10_000);
  for (let second = 0; second < 12; second += 1) {
    await pass(1000);
    come('quiet');
  }
  come('noisy', 10_000);
  await pass(0);
  expect(begunOf('noisy')).toBe(20_000);
});

test('nobody waits for longer than they may, however many wait', async () => {
  load.isHigh = true;
  const { come, begunOf, pass } = scene({ slowest: 1, maxWaitMs: 600 });
  come('quiet');
  come('noisy', 500);
  await pass(550);
  expect(begunOf('noisy')).toBeLessThan(24);
  await pass(75);
  expect(begunOf('noisy')).toBe(500);
});

test('load that stays when noisy tenants are as slow as can be is not theirs: they wait no more', async () => {
  load.isHigh = true;
  const { come, begunOf, pass } = scene({ slowest: 10 });
  come('quiet');
  come('noisy', 500);
  await pass(4000);
  expect(begunOf('noisy')).toBeLessThan(70);
  await pass(1500);
  expect(begunOf('noisy')).toBe(500);
});

test('a noisy tenant goes on at once when the others have left', async () => {
  load.isHigh = true;
  const { come, begunOf, pass } = scene({ slowest: 40 });
  come('quiet');
  await pass(8000);
  come('noisy', 500);
  await pass(1900);
  expect(begunOf('noisy')).toBeLessThan(110);
  await pass(200);
  expect(begunOf('noisy')).toBe(500);
});

test('a tenant that is no longer noisy waits no longer, and failed work counts as over', async () => {
  load.isHigh = true;
  const { throttle, ends, come, begunOf, pass } = scene({ slowest: 10 });
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

test('when the process stops, who waits begins, and who comes then does not wait', async () => {
  load.isHigh = true;
  const { throttle, come, begunOf, pass } = scene({ slowest: 1 });
  come('quiet');
  come('noisy', 50);
  throttle.stop();
  come('noisy', 50);
  await pass(0);
  expect(begunOf('noisy')).toBe(100);
});
