import { invitationStates } from '@botyard/contracts/http/invitations';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { createdAt, moment } from '@botyard/shared/db/columns';
import { check, index, integer, sql, text, unique, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** Invitations of people to a tenant by email address, with the state of their mail. */
export const invitations = tenantTable(
  'invitations',
  ['invitationId'],
  {
    invitationId: uuid('invitation_id').notNull(),
    /** In lower case. */
    email: text().notNull(),
    role: text({ enum: ['admin', 'member', 'responder'] }).notNull(),
    /** The bots that a responder will answer. They may have been deleted since. */
    botIds: uuid('bot_ids').array().notNull().default([]),
    language: text().notNull(),
    /** `pending` ones expire by time; `expired` is stored only when another invitation replaces them. */
    state: text({ enum: invitationStates }).notNull().default('pending'),
    /** `null` after that person was deleted. */
    invitedBy: uuid('invited_by'),
    acceptedBy: uuid('accepted_by'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    endedAt: moment('ended_at'),
    mail: text({ enum: ['queued', 'sent', 'uncertain', 'not_sent'] })
      .notNull()
      .default('queued'),
    /** Identifies the last requested mail: the same for each attempt. */
    mailId: uuid('mail_id').notNull(),
    mailAskedAt: moment('mail_asked_at').notNull().defaultNow(),
    /**
     * The time of the next attempt or, during one, the time when it counts as lost. `null` when there is nothing to do.
     */
    mailDueAt: moment('mail_due_at'),
    mailTries: integer('mail_tries').notNull().default(0),
    /** Attempts that may have reached the mailer, at most 2. */
    mailSends: integer('mail_sends').notNull().default(0),
    mailProblem: text('mail_problem'),
    mailedAt: moment('mailed_at'),
  },
  (table) => [
    unique('invitations_by_id').on(table.invitationId),
    uniqueIndex('invitations_one_pending').on(table.tenantId, table.email).where(sql`state = 'pending'`),
    index('invitations_by_email').on(table.email),
    index('invitations_by_due').on(table.mailDueAt).where(sql`mail_due_at is not null`),
    check('invitations_none_to_platform', sql.raw(`tenant_id <> '${platformTenantId}'`)),
  ],
);
