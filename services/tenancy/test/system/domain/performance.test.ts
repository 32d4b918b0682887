import type { Figures } from '@botyard/shared/system/questions';
import { expect, test } from 'vitest';
import { percentile, timesOf } from '../../../src/system/domain/performance.ts';

test('a percentile lies within its step', () => {
  expect(percentile([0, 100, 100], [0.1, 0.2], 0.5)).toBeCloseTo(0.15);
  expect(percentile([50, 100, 100], [0.1, 0.2], 0.5)).toBeCloseTo(0.1);
  expect(percentile([0, 0, 10], [0.1, 0.2], 0.99)).toBe(0.2);
  expect(percentile([0, 0, 0], [0.1, 0.2], 0.5)).toBe(0);
});

test('processes are added up before anything is estimated', () => {
  const figuresOf = (buckets: number[]) =>
    ({
      bounds: [0.1, 0.2],
      routes: [{ method: 'GET', route: '/x', count: buckets[2], failed: 1, sumSeconds: 1, buckets }],
    }) as unknown as Figures;
  const [times] = timesOf([figuresOf([90, 90, 90]), figuresOf([0, 10, 10])]);
  expect(times).toMatchObject({ requests: 100, failed: 2, meanMs: 20, p50Ms: 55.56, p99Ms: 190 });
});
