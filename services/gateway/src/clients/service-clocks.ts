import { readBounded } from '@botyard/shared/http/bounded-body';
import { ClockWatch, type OtherClock } from '@botyard/shared/service/clock-watch';
import type { RuntimeContext } from '@botyard/shared/service/run-service';

const maxAnswerBytes = 64 * 1024;
const timeoutMs = 2000;
const halfSecondMs = 500;

/** Compares the gateway's clock with those of the services, by the `Date` of their answers. */
export const watchClocks = (
  urls: Readonly<Record<string, readonly string[]>>,
  own: Pick<RuntimeContext, 'stalls' | 'metrics'> & { now: () => number },
): ClockWatch =>
  new ClockWatch({ others: Object.entries(urls).map(([name, [url = '']]) => clockOf(name, url)), ...own });

const clockOf = (name: string, url: string): OtherClock => ({
  name,
  read: async () => {
    const signal = AbortSignal.timeout(timeoutMs);
    // Readiness isn't requested: that costs the service a round trip to Postgres and a publish that waits for the disk.
    const response = await fetch(`${url}/healthz`, { signal, redirect: 'manual' });
    await readBounded(response, maxAnswerBytes);
    const date = Date.parse(response.headers.get('date') ?? '');
    // The header is precise to the second; the middle of that second is the best estimate.
    return Number.isNaN(date) ? undefined : date + halfSecondMs;
  },
});
