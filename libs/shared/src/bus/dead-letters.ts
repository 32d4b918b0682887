import { randomInt } from 'node:crypto';
import { v7 as uuidv7, validate } from 'uuid';
import { busColumns } from '../db/columns.ts';
import { type Database, withPlatform } from '../db/database.ts';
import { count } from '../db/expressions.ts';
import { columns, typedSql } from '../db/typed-sql.ts';

interface DeadLetter {
  eventId: string;
  subject: string;
  data: string;
  attempts: number;
  lastError: string;
}

export const maxAttempts = 6;

/** The delays between `maxAttempts` attempts add up to less than a minute (promise P8). */
const firstCeilingMs = 1900;

/** From about 1 s, doubling, to 60 s, with jitter (REQ-REL-5). */
export function backoffMs(attempts: number): number {
  const ceiling = Math.min(60_000, firstCeilingMs * 2 ** Math.max(0, attempts - 1));
  return randomInt(Math.ceil(ceiling / 2), ceiling + 1);
}

const failure = columns({ attempts: busColumns.consumerFailures.attempts });

/** Counts a failed attempt. `retryInMs` is `null` after the last one. */
export async function recordFailure(
  database: Database,
  schema: string,
  eventId: string,
  lastError: string,
): Promise<{ attempts: number; retryInMs: number | null }> {
  const [row] = await withPlatform(database, 'consumer failure', (tx) =>
    tx.query({
      name: `${schema}.failures.put`,
      text: typedSql`insert into ${schema}.consumer_failures (event_id, attempts, last_error) values ($1, 1, $2)
             on conflict (event_id) do update
             set attempts = consumer_failures.attempts + 1, last_error = excluded.last_error, failed_at = now()
             returning ${failure}`,
      values: [eventId, lastError],
    }),
  );
  const attempts = row?.attempts ?? maxAttempts;
  return { attempts, retryInMs: attempts >= maxAttempts ? null : backoffMs(attempts) };
}

/** Parks an event with its reason, from where it can be replayed. */
export async function deadLetter(database: Database, schema: string, letter: DeadLetter): Promise<void> {
  const eventId = validate(letter.eventId) ? letter.eventId : uuidv7();
  await withPlatform(database, 'dead letter', (tx) =>
    tx.query({
      name: `${schema}.dead_letters.insert`,
      text: `insert into ${schema}.dead_letters (event_id, subject, data, attempts, last_error)
             values ($1, $2, $3, $4, $5) on conflict (event_id) do nothing`,
      values: [eventId, letter.subject, letter.data, letter.attempts, letter.lastError],
    }),
  );
}

const parkedLetters = columns({ parked: count() });

/** The number of parked events, counted up to 10,000. */
export async function countDeadLetters(database: Database, schema: string): Promise<number> {
  const [row] = await withPlatform(database, 'dead letter count', (tx) =>
    tx.query({
      name: `${schema}.dead_letters.count`,
      text: typedSql`select ${parkedLetters} from (select from ${schema}.dead_letters limit 10000) d`,
      values: [],
    }),
  );
  return row?.parked ?? 0;
}
