import { Gauge, type Registry } from 'prom-client';
import { busFigures } from '../system/figures.ts';
import type { Instance } from '../system/instance.ts';
import type { StallMonitor } from './stalls.ts';

type Read = () => Iterable<readonly [labels: Record<string, string>, value: number]>;

/** Metrics of a process, its pools, its bus and its queues, at `/metrics`. */
export function observeInstance(registry: Registry, instance: Instance, stalls: StallMonitor): void {
  const gauge = (name: string, help: string, read: Read | (() => Promise<ReturnType<Read>>)) => {
    const labelNames = labelsOf[name] ?? [];
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        for (const [labels, value] of await read()) this.set(labels, value);
      },
    });
  };
  const one = (value: number): ReturnType<Read> => [[{}, value]];
  gauge('instance_info', 'The process, by its number in discovery', () => [
    [{ instance_id: instance.id, version: instance.version }, 1],
  ]);
  gauge('http_requests_in_flight', 'Requests that are being answered', () => one(instance.requestsInFlight));
  gauge('event_loop_utilization_ratio', 'Share of the last 5 seconds in which the event loop was busy', () =>
    one(instance.load().utilization),
  );
  gauge('database_pool_connections', 'Connections of each pool, and who waits for one', () =>
    instance
      .pools()
      .flatMap(({ name: pool, total, idle, waiting, most }) => [
        [{ pool, state: 'open' }, total] as const,
        [{ pool, state: 'idle' }, idle] as const,
        [{ pool, state: 'waited_for' }, waiting] as const,
        [{ pool, state: 'most' }, most] as const,
      ]),
  );
  gauge('bus_connected', 'Whether NATS is connected', () => one(busFigures(instance).isConnected ? 1 : 0));
  gauge('bus_messages', 'Messages over NATS since the start', () => {
    const { sentMessages, receivedMessages } = busFigures(instance);
    return [
      [{ direction: 'sent' }, sentMessages],
      [{ direction: 'received' }, receivedMessages],
    ];
  });
  gauge('bus_reconnections', 'Times that NATS was lost and found again', () =>
    one(busFigures(instance).reconnections),
  );
  gauge('queue_depth', 'What waits, by the queue; the same at every instance of a service', async () =>
    Object.entries(await instance.queues()).map(([queue, depth]) => [{ queue }, depth] as const),
  );
  gauge(
    'stalled_seconds',
    'Parts that keep messages from moving, with the time since they began to fail',
    () => stalls.list().map(({ part, seconds }) => [{ part }, seconds] as const),
  );
}

const labelsOf: Readonly<Record<string, string[]>> = {
  instance_info: ['instance_id', 'version'],
  database_pool_connections: ['pool', 'state'],
  bus_messages: ['direction'],
  queue_depth: ['queue'],
  stalled_seconds: ['part'],
};
