import type { DatabaseHealth, Probe } from '@botyard/contracts/http/database';
import { within } from '@botyard/shared/work/within';
import type { Deps } from '../deps.ts';

const trips = 5;
const timeoutMs = 2000;
const away: Probe = { status: 'unavailable', latencyMs: null };

/** Measures the latency of the database and the bus. Never throws: a missing answer is also a result. */
export async function checkHealth({
  database,
  reader,
  bus,
}: Pick<Deps, 'database' | 'reader' | 'bus'>): Promise<DatabaseHealth> {
  const [own, read, wire, stream] = await Promise.all([
    probe(() => database.ping()),
    reader ? probe(() => reader.ping()) : away,
    probe(async () => void (await bus.live().connection.rtt())),
    probe(async () => {
      const subject = bus.names.canary(bus.service);
      await bus.live().jetstream.publish(subject, '', { timeout: timeoutMs, ttl: '1m' });
    }),
  ]);
  const isOk = [own, read, wire, stream].every(({ status }) => status === 'ok');
  return {
    status: isOk ? 'ok' : 'degraded',
    database: own,
    reader: read,
    bus: wire,
    stream,
    checkedAt: new Date().toISOString(),
  };
}

async function probe(trip: () => Promise<void>): Promise<Probe> {
  try {
    const latencies: number[] = [];
    for (let done = 0; done < trips; done += 1) latencies.push(await timed(trip));
    latencies.sort((left, right) => left - right);
    const [least = 0, , median = 0, , most = 0] = latencies;
    return { status: 'ok', latencyMs: { least, median, most } };
  } catch {
    return away;
  }
}

async function timed(trip: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  const isBack = trip().then(() => true);
  if (!(await within(timeoutMs, isBack))) throw new Error('no answer in time');
  return Math.round((performance.now() - begin) * 1000) / 1000;
}
