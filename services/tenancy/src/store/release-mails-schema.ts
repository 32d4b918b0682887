import { createdAt, moment } from '@botyard/shared/db/columns';
import { index, integer, sql, text, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable, userId } from './schema.ts';

/** One mail for each admin about a release that a rule withdrew. */
export const releaseMails = tenantTable(
  'release_mails',
  ['releaseId', 'userId'],
  {
    releaseId: uuid('release_id').notNull(),
    userId: userId(),
    /** The same for each attempt. */
    mailId: uuid('mail_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    agentName: text('agent_name').notNull(),
    version: integer().notNull(),
    reason: text().notNull(),
    createdAt: createdAt(),
    /** The next attempt or, during one, the time when it counts as lost. `null` when there is nothing to do. */
    dueAt: moment('due_at'),
    tries: integer().notNull().default(0),
    /** Attempts that may have reached the mailer, at most 2. */
    sends: integer().notNull().default(0),
  },
  (table) => [index('release_mails_by_due').on(table.dueAt).where(sql`due_at is not null`)],
);
