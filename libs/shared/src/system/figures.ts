import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Metrics } from '../service/metrics.ts';
import type { Instance } from './instance.ts';
import { memoryInUse } from './memory-in-use.ts';
import type { Figures, RouteFigures } from './questions.ts';

const maxRoutes = 300;
const maxCounters = 300;
const requestMetric = 'http_request_duration_seconds';

type Metric = MetricObjectWithValues<MetricValue<string>>;

/** The metrics of `/metrics`, in the form that `/api/system` adds up. */
export async function readProcess(instance: Instance, metrics: Metrics): Promise<Figures> {
  const all = (await metrics.registry.getMetricsAsJSON()) as unknown as Metric[];
  const requests = all.find(({ name }) => name === requestMetric);
  const { bounds, routes } = readRoutes(requests?.values ?? []);
  const { rss, heapUsed, heapTotal, external } = memoryInUse();
  const { user, system } = process.cpuUsage();
  return {
    process: {
      cpuSeconds: (user + system) / 1e6,
      residentBytes: rss,
      heapUsedBytes: heapUsed,
      heapTotalBytes: heapTotal,
      externalBytes: external,
      requests: instance.requests,
      requestsInFlight: instance.requestsInFlight,
    },
    eventLoop: instance.eventLoop(),
    bounds,
    routes,
    pools: instance.pools(),
    bus: busFigures(instance),
    queues: await instance.queues(),
    counters: all
      .filter(({ name, type }) => (type as unknown) === 'counter' && !/^(process|nodejs)_/.test(name))
      .flatMap(({ name, values }) =>
        values.map(({ labels, value }) => ({ name, labels: labelsOf(labels), value })),
      )
      .slice(0, maxCounters),
  };
}

export function busFigures({ bus }: Instance): Figures['bus'] {
  const stats = bus?.stats();
  return {
    isConnected: bus?.isConnected ?? false,
    sentMessages: stats?.outMsgs ?? 0,
    receivedMessages: stats?.inMsgs ?? 0,
    sentBytes: stats?.outBytes ?? 0,
    receivedBytes: stats?.inBytes ?? 0,
    reconnections: stats?.reconnections ?? 0,
  };
}

const labelsOf = (labels: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => name !== 'service')
      .map(([name, value]) => [name, String(value)]),
  );

function readRoutes(values: readonly MetricValue<string>[]): Pick<Figures, 'bounds' | 'routes'> {
  const bounds = [...new Set(values.map(({ labels }) => Number(labels.le)))]
    .filter(Number.isFinite)
    .sort((left, right) => left - right);
  const routes = new Map<string, RouteFigures>();
  for (const { labels, value, ...rest } of values) {
    const { method = '', route = '', status = '', le } = labels as Record<string, string | number>;
    const key = `${method} ${route}`;
    const routeFigures = routes.get(key) ?? emptyRoute(String(method), String(route), bounds.length);
    routes.set(key, routeFigures);
    const { metricName = '' } = rest as { metricName?: string };
    if (metricName.endsWith('_sum')) routeFigures.sumSeconds += value;
    else if (metricName.endsWith('_count')) {
      routeFigures.count += value;
      if (Number(status) >= 500) routeFigures.failed += value;
    } else if (le !== undefined) {
      const place = Number.isFinite(Number(le)) ? bounds.indexOf(Number(le)) : bounds.length;
      routeFigures.buckets[place] = (routeFigures.buckets[place] ?? 0) + value;
    }
  }
  const busiest = [...routes.values()].sort((left, right) => right.count - left.count);
  return { bounds, routes: busiest.slice(0, maxRoutes) };
}

const emptyRoute = (method: string, route: string, bounds: number): RouteFigures => ({
  method,
  route,
  count: 0,
  failed: 0,
  sumSeconds: 0,
  buckets: Array.from({ length: bounds + 1 }, () => 0),
});
