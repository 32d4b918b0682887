import { type Database, withPlatform } from '@botyard/shared/db/database';

/** How long the oldest of each has been due, in milliseconds; `null` when nothing is. */
export interface Backlog {
  unsentMs: number | null;
  unpublishedMs: number | null;
}

const ms = (since: string) => `(1000 * extract(epoch from now() - ${since}))::float8`;

/** By the indexes of what waits only. @throws when the database doesn't answer. */
export async function measureBacklog(database: Database): Promise<Backlog> {
  const [row] = await withPlatform(database, 'health', (tx) =>
    tx.query<Backlog & Record<string, unknown>>({
      name: 'webhooks.backlog',
      text: `select ${ms('(select min(ready_at) from webhooks.chats where ready_at <= now())')} as "unsentMs",
               ${ms('(select created_at from webhooks.outbox where published_at is null order by id limit 1)')}
                 as "unpublishedMs"`,
      values: [],
    }),
  );
  return row!;
}
