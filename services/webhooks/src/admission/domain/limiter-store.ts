import type { Database } from '@botyard/shared/db/database';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { addHits, deleteHits, type RateWindow } from '../store/rate-windows.ts';
import { Batcher } from './batcher.ts';

/**
 * Counts of the webhook limiter in Postgres, so that the limit is exact over several instances (promise P21). Hits
 * that arrive together are added in one statement, and each request still gets a number of its own.
 */
export function createLimiterStore(database: Database): Store {
  const batcher = new Batcher<string, ClientRateLimitInfo>({
    maxBatch: 1000,
    isOutage: () => true,
    write: async (clients) => {
      const counts = new Map<string, number>();
      for (const client of clients) counts.set(client, (counts.get(client) ?? 0) + 1);
      return numbered(clients, counts, await addHits(database, counts));
    },
  });
  return {
    localKeys: false,
    increment: (client) => batcher.add(client),
    decrement: () => undefined,
    resetKey: (client) => deleteHits(database, client),
  };
}

/** The n-th of a client's requests in a batch has the n-th number after those that were counted before. */
function numbered(
  clients: readonly string[],
  counts: ReadonlyMap<string, number>,
  windows: ReadonlyMap<string, RateWindow>,
): ClientRateLimitInfo[] {
  const given = new Map<string, number>();
  return clients.map((client) => {
    const place = (given.get(client) ?? 0) + 1;
    given.set(client, place);
    const window = windows.get(client);
    const countedBefore = (window?.hits ?? 0) - (counts.get(client) ?? 0);
    return { totalHits: countedBefore + place, resetTime: window?.endsAt };
  });
}
