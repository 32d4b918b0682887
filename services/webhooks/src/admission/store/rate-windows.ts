import { type Database, withPlatform, withPlatformRelaxed } from '@botyard/shared/db/database';

export interface RateWindow {
  hits: number;
  endsAt: Date;
}

/** Adds hits of several clients at once; a client's minute begins with its first hit. */
export async function addHits(
  database: Database,
  hits: ReadonlyMap<string, number>,
): Promise<Map<string, RateWindow>> {
  const clients = [...hits.keys()].sort();
  const rows = await withPlatformRelaxed(database, 'webhook limiter', (tx) =>
    tx.query<{ client: string; hits: number; ends_at: Date }>({
      name: 'webhooks.rate_windows.add',
      text: `insert into webhooks.rate_windows as w (client, ends_at, hits)
             select client, now() + interval '1 minute', hits from unnest($1::text[], $2::int[]) as t (client, hits)
             on conflict (client) do update set
               hits = case when w.ends_at <= now() then excluded.hits else w.hits + excluded.hits end,
               ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end
             returning client, hits, ends_at`,
      values: [clients, clients.map((client) => hits.get(client) ?? 0)],
    }),
  );
  return new Map(rows.map((row) => [row.client, { hits: row.hits, endsAt: row.ends_at }]));
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
