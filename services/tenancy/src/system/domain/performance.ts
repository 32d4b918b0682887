import type { SystemPerformance } from '@botyard/contracts/http/system-shapes';
import type { Figures, RouteFigures } from '@botyard/shared/system/questions';
import type { z } from 'zod';

type RouteTimes = Omit<z.input<typeof SystemPerformance>['routes'][number], 'serviceName'>;

/** The times of each route over all processes of a service. Counts are added up before anything is estimated. */
export function timesOf(figures: readonly Figures[]): RouteTimes[] {
  const bounds = figures[0]?.bounds ?? [];
  const sums = new Map<string, RouteFigures>();
  for (const processFigures of figures) {
    // A process of another version may have other buckets, whose counts can't be added.
    if (processFigures.bounds.join() !== bounds.join()) continue;
    for (const route of processFigures.routes) {
      const key = `${route.method} ${route.route}`;
      sums.set(key, added(sums.get(key), route));
    }
  }
  return [...sums.values()]
    .sort((left, right) => right.count - left.count)
    .map(({ method, route, count, failed, sumSeconds, buckets }) => ({
      method,
      route,
      requests: count,
      failed,
      meanMs: milliseconds(count === 0 ? 0 : sumSeconds / count),
      p50Ms: milliseconds(percentile(buckets, bounds, 0.5)),
      p95Ms: milliseconds(percentile(buckets, bounds, 0.95)),
      p99Ms: milliseconds(percentile(buckets, bounds, 0.99)),
    }));
}

function added(sum: RouteFigures | undefined, more: RouteFigures): RouteFigures {
  if (!sum) return more;
  return {
    ...sum,
    count: sum.count + more.count,
    failed: sum.failed + more.failed,
    sumSeconds: sum.sumSeconds + more.sumSeconds,
    buckets: sum.buckets.map((value, place) => value + (more.buckets[place] ?? 0)),
  };
}

/**
 * In seconds. Assumes an even distribution within a bucket, as Prometheus does; for the last bucket, which has no end,
 * its beginning.
 */
export function percentile(buckets: readonly number[], bounds: readonly number[], share: number): number {
  const rank = (buckets.at(-1) ?? 0) * share;
  if (rank === 0) return 0;
  const place = buckets.findIndex((upTo) => upTo >= rank);
  const end = bounds[place];
  const begin = bounds[place - 1] ?? 0;
  if (end === undefined) return bounds.at(-1) ?? 0;
  const before = buckets[place - 1] ?? 0;
  const within = (buckets[place] ?? 0) - before;
  return begin + (end - begin) * ((rank - before) / within);
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1e5) / 100;
