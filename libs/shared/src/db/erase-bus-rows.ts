import type { Account } from '../auth/person-id.ts';
import { type Database, type PlatformTx, withPlatform } from './database.ts';
import { boolean, orNull, text } from './expressions.ts';
import { columns, typedSql } from './typed-sql.ts';

interface Mention {
  schema: string;
  tenantId: string;
  accounts: readonly Account[];
  /** Everything about these conversations is erased, whatever it contains. */
  conversationIds: readonly string[];
}

/**
 * Removes a tenant's dead letters that name one of these accounts: by the account's identifier, unless the letter is
 * about another platform. Also clears the error texts of events that are
 * being retried: they may repeat the event's content and don't say whose it is, and the next attempt writes them
 * again. Returns the number of removed letters.
 */
export async function eraseDeadLetters(
  tx: PlatformTx,
  { schema, tenantId, accounts, conversationIds }: Mention,
): Promise<number> {
  const rows = await tx.query({
    name: `${schema}.dead_letters.erase`,
    text: `delete from ${schema}.dead_letters where subject like '%.' || $1 || '.%'
             and (exists (select from unnest($2::text[], $3::text[]) as account (platform, id) where position(id in data) > 0
                 and (position(platform in data) > 0 or position('"platform":' in data) = 0))
               or split_part(subject, '.', -1) = any ($4::text[])) returning 1`,
    values: [
      tenantId,
      accounts.map(({ platform }) => `"platform":${JSON.stringify(platform)}`),
      accounts.map(({ platformUserId }) => JSON.stringify(platformUserId)),
      conversationIds,
    ],
  });
  await tx.query({
    name: `${schema}.consumer_failures.empty`,
    text: `update ${schema}.consumer_failures set last_error = '' where last_error <> ''`,
    values: [],
  });
  return rows.length;
}

const markText = typedSql`select ${columns({ moment: text('pg_current_xact_id()::text') })}`;
const isPastText = typedSql`select ${columns({
  isPast: boolean('pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8'),
})}`;

/** A moment of the database's own, which separates transactions that began before it from later ones. */
async function markMoment(tx: PlatformTx): Promise<string> {
  const [row] = await tx.query({ name: 'moment.mark', text: markText, values: [] });
  return row!.moment;
}

/** Whether every transaction that began before the moment has ended, so that its writes are visible. */
async function isPast(tx: PlatformTx, moment: string): Promise<boolean> {
  const [row] = await tx.query({ name: 'moment.is_past', text: isPastText, values: [moment] });
  return row?.isPast ?? false;
}

/**
 * Waits for every transaction that began before the tombstone was written. After that, none of them can add anything
 * unnoticed.
 */
export async function hasPassed(database: Database, deadline: number): Promise<boolean> {
  const moment = await withPlatform(database, 'moment of an erasure', markMoment);
  for (;;) {
    if (await withPlatform(database, 'moment of an erasure', (tx) => isPast(tx, moment))) return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Rows of an outbox between two identifiers, excluding the first one. */
export interface IdSpan {
  after: string;
  until: string;
}

const pageRows = 10_000;
const outboxPage = columns({ until: orNull(text('max(id::text)')) });

/** Walks through a whole outbox, with a transaction for each page: it holds the events of 72 hours. */
export async function throughOutbox(
  { database, schema }: { database: Database; schema: string },
  work: (tx: PlatformTx, span: IdSpan) => Promise<void>,
): Promise<void> {
  let after: string | null = '00000000-0000-0000-0000-000000000000';
  while (after !== null) {
    const from: string = after;
    after = await withPlatform(database, 'outbox of an erased person', async (tx) => {
      const [page] = await tx.query({
        name: `${schema}.outbox.page`,
        text: typedSql`select ${outboxPage} from (select id from ${schema}.outbox where id > $1 order by id limit ${pageRows}) as page`,
        values: [from],
      });
      const until = page?.until ?? null;
      if (until !== null) await work(tx, { after: from, until });
      return until;
    });
  }
}
