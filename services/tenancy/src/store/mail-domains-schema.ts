import { createdAt, moment } from '@botyard/shared/db/columns';
import { index, sql, text, uniqueIndex } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** Domains that tenants claim for their mail. Several tenants may claim a domain; only one can have proven it. */
export const mailDomains = tenantTable(
  'mail_domains',
  ['domain'],
  {
    /** In lower case, in the ASCII form that DNS uses. */
    domain: text().notNull(),
    provenAt: moment('proven_at'),
    /** The time since when the record of a proven domain has been missing. */
    missingSince: moment('missing_since'),
    checkedAt: moment('checked_at'),
    lastError: text('last_error'),
    /** Time of the next check; only for a proven domain. */
    dueAt: moment('due_at'),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('mail_domains_one_owner').on(table.domain).where(sql`proven_at is not null`),
    index('mail_domains_due').on(table.dueAt).where(sql`due_at is not null`),
  ],
);
