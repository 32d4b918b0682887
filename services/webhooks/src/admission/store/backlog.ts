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
/** How long the oldest entry of each kind has been due, in milliseconds; `null` if none is due. */
export type Backlog = RowOf<typeof backlog>;

const backlogText = typedSql`select ${backlog}`;

/** Reads only the indexes of pending rows. @throws if the database doesn't answer. */
export async function measureBacklog(database: Database): Promise<Backlog> {
  const [row] = await withPlatform(database, 'health', (tx) =>
    tx.query({ name: 'webhooks.backlog', text: backlogText, values: [] }),
  );
  return row!;
}
