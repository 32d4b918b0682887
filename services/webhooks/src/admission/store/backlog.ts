import { type Database, withPlatform } from '@botyard/shared/db/database';
import { number, orNull } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';

const msSince = (moment: string) => orNull(number(`1000 * extract(epoch from now() - ${moment})`));

const backlog = columns({
  unsentMs: msSince('(select min(ready_at) from webhooks.chats where ready_at <= now())'),
  unpublishedMs: msSince(
    '(select created_at from webhooks.outbox where published_at is null order by id limit 1)',
  ),
});
/** How long the oldest of each has been due, in milliseconds; `null` when nothing is. */
export type Backlog = RowOf<typeof backlog>;

const backlogText = typedSql`select ${backlog}`;

/** By the indexes of what waits only. @throws when the database doesn't answer. */
export async function measureBacklog(database: Database): Promise<Backlog> {
  const [row] = await withPlatform(database, 'health', (tx) =>
    tx.query({ name: 'webhooks.backlog', text: backlogText, values: [] }),
  );
  return row!;
}
