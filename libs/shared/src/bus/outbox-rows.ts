import { busColumns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { type PlatformTx, withPlatform } from '../db/database.ts';
import { count, notNull } from '../db/expressions.ts';
import { unnest } from '../db/named-values.ts';
import { columns, type RowOf, typedSql } from '../db/typed-sql.ts';
import { streamMaxAgeHours } from './streams.ts';

const { id, subject, data, traceparent, streamSeq } = busColumns.outbox;
const outboxRow = columns({ id, subject, data, traceparent });
/** A row of the outbox: an event that is committed and is being published. */
export type OutboxRow = RowOf<typeof outboxRow>;
export const newRows = unnest('event', { id, subject, data, traceparent });

const publishedRow = columns({ id, seq: notNull(streamSeq) });
/** An event that the stream has stored, with its position there. */
export type Published = RowOf<typeof publishedRow>;

const { createdAt, epoch } = busColumns.streams;
const knownStream = columns({ createdAt, epoch });
/** The stream's state at the last comparison. Marks of an earlier epoch no longer count. */
type KnownStream = RowOf<typeof knownStream>;

const waitingRows = columns({ waiting: count() });

/** The number of events that are committed and not published, counted up to 10,000. */
export async function countWaiting(database: Database, schema: string): Promise<number> {
  const [row] = await withPlatform(database, 'outbox depth', (tx) =>
    tx.query({
      name: `${schema}.outbox.waiting`,
      text: typedSql`select ${waitingRows} from (select from ${schema}.outbox where published_at is null limit 10000) o`,
      values: [],
    }),
  );
  return row?.waiting ?? 0;
}

const overdue = "published_at is null and created_at < now() - interval '1 second'";

export const isOverdue = (schema: string): string => `exists (select from ${schema}.outbox where ${overdue})`;

/** Events that should have been published by now, oldest first. */
export async function listOverdue(database: Database, schema: string, limit: number): Promise<OutboxRow[]> {
  return await withPlatform(
    database,
    'outbox sweep',
    (tx) =>
      tx.query({
        name: `${schema}.outbox.overdue`,
        text: typedSql`select ${outboxRow} from ${schema}.outbox
             where ${overdue} order by id limit ${limit}`,
        values: [],
      }),
    { isDurable: false, isOneRoundTrip: true },
  );
}

/**
 * Marks events that the stream has stored. If the stream has lost something since, nothing is marked and the events
 * are sent again.
 * @returns how many were marked.
 */
export async function markPublished(
  database: Database,
  schema: string,
  { stream, epoch, published }: { stream: string; epoch: number; published: readonly Published[] },
): Promise<number> {
  const rows = await withPlatform(
    database,
    'outbox mark',
    (tx) =>
      tx.query({
        name: `${schema}.outbox.mark`,
        text: `update ${schema}.outbox o set published_at = now(), stream_seq = taken.seq
             from unnest($1::uuid[], $2::bigint[]) as taken (id, seq)
             where o.id = taken.id
               and exists (select from ${schema}.streams where name = $3 and epoch = $4 for share)
             returning 1`,
        values: [published.map(({ id }) => id), published.map(({ seq }) => seq), stream, epoch],
      }),
    { isDurable: false, isOneRoundTrip: true },
  );
  return rows.length;
}

/** Moves an event that can never be published to the dead letters, so that it is not sent again. */
export async function markUnpublishable(database: Database, schema: string, id: string): Promise<void> {
  await withPlatform(database, 'outbox give up', (tx) =>
    tx.query({
      name: `${schema}.outbox.give_up`,
      text: `update ${schema}.outbox set published_at = now() where id = $1`,
      values: [id],
    }),
  );
}

/** A page of published events before the row with this id, newest first. */
export async function listPublished(
  database: Database,
  schema: string,
  page: { before: string | null; limit: number },
): Promise<Published[]> {
  return await withPlatform(database, 'outbox compared with the stream', (tx) =>
    tx.query({
      name: `${schema}.outbox.published`,
      text: typedSql`select ${publishedRow} from ${schema}.outbox
             where stream_seq is not null and ($1::uuid is null or id < $1) order by id desc limit $2`,
      values: [page.before, page.limit],
    }),
  );
}

export async function getKnownStream(
  tx: PlatformTx,
  schema: string,
  name: string,
): Promise<KnownStream | undefined> {
  return await tx.first({
    name: `${schema}.streams.get`,
    text: typedSql`select ${knownStream} from ${schema}.streams where name = $1 for update`,
    values: [name],
  });
}

export async function putKnownStream(
  tx: PlatformTx,
  schema: string,
  { name, createdAt, epoch }: KnownStream & { name: string },
): Promise<void> {
  await tx.query({
    name: `${schema}.streams.put`,
    text: `insert into ${schema}.streams (name, created_at, epoch) values ($1, $2, $3)
           on conflict (name) do update set created_at = excluded.created_at, epoch = excluded.epoch`,
    values: [name, createdAt, epoch],
  });
}

/** Marks everything as unpublished that the stream would still hold, so that it is sent again. */
export async function reviveAll(tx: PlatformTx, schema: string): Promise<void> {
  await tx.query({
    name: `${schema}.outbox.revive_all`,
    text: `update ${schema}.outbox set published_at = null, stream_seq = null
           where created_at > now() - make_interval(hours => $1)`,
    values: [streamMaxAgeHours],
  });
}

export async function revive(tx: PlatformTx, schema: string, ids: readonly string[]): Promise<void> {
  await tx.query({
    name: `${schema}.outbox.revive`,
    text: `update ${schema}.outbox set published_at = null, stream_seq = null where id = any ($1::uuid[])`,
    values: [ids],
  });
}

/**
 * Rows are kept as long as the stream keeps events; identifiers of consumed events, and failures of events, for 8 days.
 */
export async function prune(database: Database, schema: string): Promise<void> {
  await withPlatform(database, 'outbox prune', async (tx) => {
    await tx.query({
      name: `${schema}.outbox.prune`,
      text: `delete from ${schema}.outbox where published_at < now() - make_interval(hours => $1)`,
      values: [streamMaxAgeHours],
    });
    await tx.query({
      name: `${schema}.inbox.prune`,
      text: `delete from ${schema}.inbox where consumed_at < now() - interval '8 days'`,
      values: [],
    });
    await tx.query({
      name: `${schema}.failures.prune`,
      text: `delete from ${schema}.consumer_failures where failed_at < now() - interval '8 days'`,
      values: [],
    });
  });
}
