import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const hourMs = 3600_000;

/** A process's metrics, served at `/metrics` on its internal port. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>;
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  gauge(name: string, help: string, read: () => number): void;
}

export function createMetrics(service: string): Metrics {
  const registry = Registry.merge([metricsOfProcess()]);
  registry.setDefaultLabels({ service });
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Seconds from the first byte of a request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers: [registry],
    }),
    counter: (name, help, labels) =>
      new Counter({ name, help, labelNames: [...labels], registers: [registry] }),
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
  };
}

let ofProcess: Registry | undefined;

/**
 * Created once for all services of a process, because tests start hundreds of them there: prom-client's observer of
 * the garbage collector can't be stopped and would keep every ended service in memory.
 */
function metricsOfProcess(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: hourMs });
    measureEventLoop(ofProcess);
  }
  return ofProcess;
}

/**
 * Replaces prom-client's own gauges of the event loop, whose timer wakes an idle process a hundred times a second.
 * These sample each turn of the loop, and are reset with each scrape.
 */
function measureEventLoop(registry: Registry): void {
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
  delay.enable();
  const seconds = (nanoseconds: number) => (delay.count > 0 ? nanoseconds / 1e9 : 0);
  const gauge = (name: string, help: string, read: () => number) => {
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(seconds(read()));
      },
    });
  };
  gauge('nodejs_eventloop_lag_seconds', 'Mean time of a turn of the event loop', () => delay.mean);
  gauge('nodejs_eventloop_lag_min_seconds', 'Shortest turn of the event loop', () => delay.min);
  gauge('nodejs_eventloop_lag_mean_seconds', 'Mean time of a turn of the event loop', () => delay.mean);
  gauge('nodejs_eventloop_lag_stddev_seconds', 'Standard deviation of the turns', () => delay.stddev);
  gauge('nodejs_eventloop_lag_p50_seconds', 'Half of the turns take no longer', () => delay.percentile(50));
  gauge('nodejs_eventloop_lag_p90_seconds', 'Nine of ten turns take no longer', () => delay.percentile(90));
  gauge('nodejs_eventloop_lag_p99_seconds', '99 of 100 turns take no longer', () => delay.percentile(99));
  gauge('nodejs_eventloop_lag_max_seconds', 'Longest turn of the event loop', () => {
    const longest = delay.max;
    delay.reset();
    return longest;
  });
}
