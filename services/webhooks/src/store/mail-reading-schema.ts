import { createdAt, moment } from '@botyard/shared/db/columns';
import { bigint, boolean, index, integer, text, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/**
 * Stored mails whose documents are read before they are passed on as messages, and later mails of the same threads,
 * which wait for them. A row is removed with the message that it becomes.
 */
export const mailReadings = tenantTable(
  'mail_readings',
  ['mailId'],
  {
    mailId: uuid('mail_id').notNull(),
    threadId: uuid('thread_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    /** Order within the thread. */
    position: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    /** Its sender isn't permitted: the documents are read, and nothing is passed on. */
    isHeld: boolean('is_held').notNull(),
    /** The time at which the sender's program sent it. */
    sentAt: moment('sent_at').notNull(),
    traceparent: text(),
    /** The number of attempts, which is the fence: a later attempt has another one. */
    attempts: integer().notNull().default(0),
    dueAt: moment('due_at').notNull().defaultNow(),
    leaseUntil: moment('lease_until'),
    createdAt: createdAt(),
  },
  (table) => [index('mail_readings_of_thread').on(table.tenantId, table.threadId, table.position)],
);
