import { type Database, withPlatform } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { rateWindows } from '../../store/admission-schema.ts';

const aheadOf = 16;

/** Hits of a client that are counted for a process. */
export interface CountedHits {
  /** The number of hits in the client's minute before these. */
  before: number;
  /** How many hits are counted: the actual ones, and more that the process may use until the minute ends. */
  counted: number;
  endsAt: Date;
  endsInMs: number;
}

const { client, hits, endsAt } = rateWindows;
const added = columns({
  client,
  hits,
  endsAt,
  endsInMs: number('extract(epoch from ends_at - now())::float8 * 1000'),
});
const addText = typedSql`insert into webhooks.rate_windows as w (client, ends_at, hits)
  select client, now() + interval '1 minute', hits from unnest($1::text[], $2::int[]) as t (client, hits)
  on conflict (client) do update set
    hits = case when w.ends_at <= now() then excluded.hits else w.hits + excluded.hits end,
    ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end
  returning ${added}`;
const aheadText = typedSql`update webhooks.rate_windows set hits = hits + least(hits, ($2 - hits) / ${aheadOf})
  where client = any ($1::text[]) and hits <= $2 - ${aheadOf} returning ${columns({ client, hits })}`;

/**
 * Counts hits of several clients together; a client's minute begins with its first hit. As many hits as a client has
 * had are counted in advance, but at most a sixteenth of the rest of its limit, so that there are none near the end.
 */
export async function addHits(
  database: Database,
  hits: ReadonlyMap<string, number>,
  limit: number,
): Promise<Map<string, CountedHits>> {
  const clients = [...hits.keys()].sort();
  const [there, ahead] = await withPlatform(
    database,
    'webhook limiter',
    (tx) =>
      Promise.all([
        tx.query({
          name: 'webhooks.rate_windows.add',
          text: addText,
          values: [clients, clients.map((client) => hits.get(client) ?? 0)],
        }),
        tx.query({ name: 'webhooks.rate_windows.ahead', text: aheadText, values: [clients, limit] }),
      ]),
    { isDurable: false, isOneRoundTrip: true },
  );
  const until = new Map(ahead.map((row) => [row.client, row.hits]));
  return new Map(
    there.map((row) => {
      const before = row.hits - (hits.get(row.client) ?? 0);
      const counted = (until.get(row.client) ?? row.hits) - before;
      return [row.client, { before, counted, endsAt: row.endsAt, endsInMs: row.endsInMs }];
    }),
  );
}

export async function deleteHits(database: Database, client: string): Promise<void> {
  await withPlatform(database, 'webhook limiter', (tx) =>
    tx.query({
      name: 'webhooks.rate_windows.delete',
      text: 'delete from webhooks.rate_windows where client = $1 or ends_at < now()',
      values: [client],
    }),
  );
}
