import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { mailReadings } from '../../../store/mail-reading-schema.ts';
import { mails } from '../../../store/mail-schema.ts';
import type { ThreadRow } from './threads.ts';

type ReadingRow = typeof mailReadings.$inferSelect;
type MailKey = Pick<ReadingRow, 'tenantId' | 'mailId'>;

/** Has a mail's documents read. A held one that is being read already is passed on afterwards, if it may be now. */
export async function saveReading(tx: TenantTx, reading: typeof mailReadings.$inferInsert): Promise<void> {
  const { isHeld } = reading;
  await tx.db
    .insert(mailReadings)
    .values(reading)
    .onConflictDoUpdate({ target: [mailReadings.tenantId, mailReadings.mailId], set: { isHeld } });
}

const r = alias(mailReadings, 'r');
const threadsText = typedSql`select distinct ${columns({ threadId: r.threadId })} from webhooks.mail_readings r
  where tenant_id = any ($1::uuid[]) and thread_id = any ($2::uuid[]) and not is_held`;

/** Those of these threads whose next message isn't admitted yet, because its documents are being read. */
export const listThreadsWithReadings = preparedStatement({
  name: 'webhooks.mail_readings.threads',
  text: threadsText,
  values: (threads: readonly Pick<ThreadRow, 'tenantId' | 'threadId'>[]) => [
    threads.map(({ tenantId }) => tenantId),
    threads.map(({ threadId }) => threadId),
  ],
  result: (rows) => new Set(rows.map(({ threadId }) => threadId)),
});

const q = alias(mailReadings, 'q');
const claimed = columns(pick(q, 'tenantId', 'mailId', 'threadId', 'attempts', 'traceparent'));
/** A mail of which this process reads a document. */
export type ClaimedReading = RowOf<typeof claimed>;

/**
 * The first mail of each thread, and held mails. A tenant's held mails come after the others, which are as if they had
 * been due for a day.
 */
export const readingQueue: QueueTable<ClaimedReading> = {
  table: 'webhooks.mail_readings',
  key: ['tenantId', 'mailId'],
  columns: claimed,
  readyAt: "case when q.is_held then q.due_at else q.due_at - interval '1 day' end",
  isFree: 'q.due_at <= now() and (q.lease_until is null or q.lease_until < now())',
  isOfQueue: `(q.is_held or not exists (select from webhooks.mail_readings earlier
    where earlier.tenant_id = q.tenant_id and earlier.thread_id = q.thread_id
      and earlier.position < q.position and not earlier.is_held))`,
  leaseSeconds: 30,
  fence: 'attempts',
};

const keyOf = ({ tenantId, mailId, attempts }: ClaimedReading) => [tenantId, mailId, attempts];

/** Has a mail read again. An attempt that isn't the document's fault isn't counted. */
export const releaseReading = preparedStatement({
  name: 'webhooks.mail_readings.release',
  text: `update webhooks.mail_readings set lease_until = null, due_at = now() + make_interval(secs => $4::float8 / 1000),
           attempts = attempts - case when $5 then 0 else 1 end
         where tenant_id = $1 and mail_id = $2 and attempts = $3`,
  values: (reading: ClaimedReading, { waitMs, isCounted }: { waitMs: number; isCounted: boolean }) => [
    ...keyOf(reading),
    waitMs,
    isCounted,
  ],
});

const ended = columns(pick(r, 'integrationId', 'isHeld', 'sentAt'));
const endText = typedSql`delete from webhooks.mail_readings r where tenant_id = $1 and mail_id = $2 and attempts = $3
  returning ${ended}`;

/** Ends with a mail. `undefined` when it was erased, or another attempt has begun: then nothing may be passed on. */
export const endReading = preparedStatement({
  name: 'webhooks.mail_readings.end',
  text: endText,
  values: keyOf,
  result: ([row]) => row,
});

const storedMails = rowsOf(mails, 'tenantId', 'mailId');
export const getMail = (tx: TenantTx, mail: MailKey) => storedMails.get(tx, mail);
