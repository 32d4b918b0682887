import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LoadProbe } from '../../src/work/load-probe.ts';

/** By the clock of the test. */
const answerAfter = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

let takesMs: number;
let asked: number;
let probe: LoadProbe;

beforeEach(() => {
  vi.useFakeTimers();
  takesMs = 0.6;
  asked = 0;
  probe = new LoadProbe(() => {
    asked += 1;
    return answerAfter(takesMs);
  });
  probe.start();
});
afterEach(async () => {
  await probe.stop();
  vi.useRealTimers();
});

/** Somebody wants to know all the time. */
async function watchFor(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 200) {
    probe.watch();
    await vi.advanceTimersByTimeAsync(200);
  }
}

test('answers that take much longer than at their best are load, and seen within a third of a second', async () => {
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probe.isHigh).toBe(false);
  takesMs = 8;
  await watchFor(400);
  expect(probe.isHigh).toBe(true);
  takesMs = 0.6;
  await watchFor(400);
  expect(probe.isHigh).toBe(false);
});

test('a question that is not answered at all counts by how long it waits', async () => {
  await vi.advanceTimersByTimeAsync(10_000);
  takesMs = 5000;
  await watchFor(400);
  expect(probe.isHigh).toBe(true);
});

test('a database that is far away is not overloaded', async () => {
  takesMs = 30;
  await vi.advanceTimersByTimeAsync(10_000);
  await watchFor(2000);
  expect(probe.isHigh).toBe(false);
});

test('load that lasts for 3,600 samples, which are an hour at rest, does not become what is usual', async () => {
  await vi.advanceTimersByTimeAsync(10_000);
  takesMs = 12;
  await watchFor(3600 * 40);
  expect(probe.isHigh).toBe(true);
});

test('it asks once a second, and often only while somebody wants to know', async () => {
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toBe(10);
  await watchFor(1000);
  expect(asked).toBeGreaterThan(25);
  await vi.advanceTimersByTimeAsync(2000);
  const before = asked;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked - before).toBe(10);
});

test('a database that refuses is not overloaded, and its refusals are not the best answers', async () => {
  let isDown = false;
  const other = new LoadProbe(async () => {
    if (isDown) throw new Error('no');
    await answerAfter(2);
  });
  other.start();
  await vi.advanceTimersByTimeAsync(10_000);
  isDown = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(other.isHigh).toBe(false);
  isDown = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(other.isHigh).toBe(false);
  await other.stop();
});
