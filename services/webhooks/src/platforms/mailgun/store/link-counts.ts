import type { TenantTx } from '@botyard/shared/db/database';

/** The limit of links within a window that begins with the first one. `key` is a hash. */
export interface LinkLimit {
  key: string;
  most: number;
  windowSeconds: number;
}

/**
 * Counts a link for all limits. Returns whether none was reached. A limit that is reached costs a read and no lock, so
 * that a flood can't block others.
 */
export async function countLink(tx: TenantTx, limits: readonly LinkLimit[]): Promise<boolean> {
  const keys = limits.map(({ key }) => key);
  const most = limits.map((limit) => limit.most);
  const reached = await tx.query({
    name: 'webhooks.link_counts.reached',
    text: `select from unnest($1::text[], $2::int[]) as l (key, most)
             join webhooks.link_counts c on c.key = l.key and c.ends_at > now() and c.hits >= l.most limit 1`,
    values: [keys, most],
  });
  if (reached.length > 0) return false;
  const counted = await tx.query({
    name: 'webhooks.link_counts.add',
    text: `insert into webhooks.link_counts as c (key, hits, ends_at)
           select key, 1, now() + make_interval(secs => seconds)
           from unnest($1::text[], $2::int[]) with ordinality as l (key, seconds, place) order by place
           on conflict (key) do update set
             hits = case when c.ends_at <= now() then 1 else c.hits + 1 end,
             ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
           where c.ends_at <= now() or c.hits < (select most from unnest($1::text[], $3::int[]) as m (key, most) where m.key = c.key)
           returning 1`,
    values: [keys, limits.map(({ windowSeconds }) => windowSeconds), most],
  });
  return counted.length === limits.length;
}
