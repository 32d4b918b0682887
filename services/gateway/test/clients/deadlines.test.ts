import type { HttpError } from '@botyard/shared/http/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from '../../src/clients/deadlines.ts';

const times = { connectTimeoutMs: 1000, firstByteTimeoutMs: 10_000, totalTimeoutMs: 30_000 };
let missed: HttpError[];
let isExpectedBack: boolean;
beforeEach(() => {
  vi.useFakeTimers();
  missed = [];
  isExpectedBack = false;
});
afterEach(() => vi.useRealTimers());

const begin = () =>
  new Deadlines({ times, isExpectedBack: () => isExpectedBack }, (error) => missed.push(error));
const statuses = () => missed.map(({ status }) => status);

/** Checks that the deadline is missed then, once, and not a millisecond before. */
function expectMissAfter(ms: number, status: number): void {
  vi.advanceTimersByTime(ms - 1);
  expect(statuses()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(statuses()).toEqual([status]);
  vi.advanceTimersByTime(100_000);
  expect(statuses()).toEqual([status]);
}

test('a request without a connection is given up with 503 when the time for that is over', () => {
  begin();
  expectMissAfter(1000, 503);
});

test('while the service is expected back the wait for a connection goes on, up to the end of all the time', () => {
  isExpectedBack = true;
  begin();
  expectMissAfter(30_000, 504);
});

test('a service that is expected back no longer is given up at the next end of that time', () => {
  isExpectedBack = true;
  begin();
  vi.advanceTimersByTime(1500);
  isExpectedBack = false;
  expectMissAfter(500, 503);
});

test('the answer has to begin in its time, counted from when all was sent', () => {
  const deadlines = begin();
  vi.advanceTimersByTime(700);
  deadlines.connected();
  vi.advanceTimersByTime(5050);
  deadlines.sent();
  expectMissAfter(10_000, 504);
});

test('an answer that has begun has until the end of all the time', () => {
  const deadlines = begin();
  deadlines.sent();
  vi.advanceTimersByTime(9999);
  deadlines.answered();
  expectMissAfter(30_000 - 9999, 504);
});

test('a request that is over misses nothing, and leaves no timer', () => {
  const deadlines = begin();
  deadlines.end();
  deadlines.sent();
  expect(vi.getTimerCount()).toBe(0);
});

test('a request that is over in a second has one timer', () => {
  const made = vi.spyOn(globalThis, 'setTimeout');
  const deadlines = begin();
  deadlines.connected();
  deadlines.sent();
  deadlines.answered();
  deadlines.end();
  expect(made).toHaveBeenCalledOnce();
  made.mockRestore();
});
