import type { Database } from '@botyard/shared/db/database';
import { Batcher } from '@botyard/shared/work/batcher';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import { addHits, type CountedHits, deleteHits } from '../store/rate-windows.ts';

/** Hits of a client's minute that were counted in advance, and may be used by this process. */
interface Block {
  next: number;
  last: number;
  resetTime: Date;
  /** By this process's clock. Never after the end of the minute by the database's clock. */
  endsAtMs: number;
}

/** The most clients with a block. Beyond it the oldest block is dropped, at a small loss for its client. */
const maxBlocks = 10_000;

/**
 * Counts the hits of the webhook limiter in Postgres: all instances together never exceed the limit (promise P21), and
 * each request has a number of its own. A frequent client reserves a block of its minute, so that few of its requests
 * need the database. Hits that arrive together are counted in one query.
 */
export function createLimiterStore(database: Database, limit: number): Store {
  const blocks = new LRUCache<string, Block>({ max: maxBlocks });
  const batcher = new Batcher<string, ClientRateLimitInfo>({
    maxBatch: 1000,
    ownerOf: (client) => client,
    isOutage: () => true,
    write: async (clients) => {
      // Some clients have received a number while they waited.
      const takenNumbers = clients.map((client) => takeFrom(blocks, client));
      const hits = new Map<string, number>();
      for (const [index, client] of clients.entries())
        if (!takenNumbers[index]) hits.set(client, (hits.get(client) ?? 0) + 1);
      const since = performance.now();
      const counted = hits.size > 0 ? await addHits(database, hits, limit) : new Map<string, CountedHits>();
      for (const [client, block] of counted) blocks.set(client, toBlock(block, since));
      return clients.map(
        (client, index) => takenNumbers[index] ?? takeFrom(blocks, client, since) ?? uncounted,
      );
    },
  });
  return {
    localKeys: false,
    increment: (client) => takeFrom(blocks, client) ?? batcher.add(client),
    decrement: () => undefined,
    resetKey: (client) => {
      blocks.delete(client);
      return deleteHits(database, client);
    },
  };
}

const uncounted: ClientRateLimitInfo = { totalHits: 0, resetTime: undefined };

const toBlock = ({ before, counted, endsAt, endsInMs }: CountedHits, since: number): Block => ({
  next: before + 1,
  last: before + counted,
  resetTime: endsAt,
  endsAtMs: since + endsInMs,
});

function takeFrom(
  blocks: LRUCache<string, Block>,
  client: string,
  now = performance.now(),
): ClientRateLimitInfo | undefined {
  const block = blocks.get(client);
  if (!block || block.next > block.last || block.endsAtMs <= now) return undefined;
  const totalHits = block.next;
  block.next += 1;
  return { totalHits, resetTime: block.resetTime };
}
