import { platformNames } from '@botyard/contracts/platform-names';
import { createdAt, moment, platformPolicy } from '@botyard/shared/db/columns';
import { index, integer, sql, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { tenancy, userId } from './schema.ts';

/** Accounts on platforms that people have proven to be theirs. People belong to no tenant, and neither do these. */
export const identityLinks = tenancy.table(
  'identity_links',
  {
    linkId: uuid('link_id').primaryKey(),
    userId: userId(),
    platform: text({ enum: platformNames }).notNull(),
    platformUserId: text('platform_user_id').notNull(),
    name: text(),
    username: text(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('identity_links_one_owner').on(table.platform, table.platformUserId),
    index('identity_links_by_user').on(table.userId),
    platformPolicy(),
  ],
);

/** Signatures of the login widget that were shown once, until they are too old to be shown again. */
export const messengerProofs = tenancy.table(
  'messenger_proofs',
  { hash: text().primaryKey(), usedAt: moment('used_at').notNull().defaultNow() },
  (table) => [index('messenger_proofs_by_age').on(table.usedAt), platformPolicy()],
);

/**
 * Sign-ins in which the platform has said whose account it is. One that only began is in its browser's cookie alone.
 */
export const messengerLogins = tenancy.table(
  'messenger_logins',
  {
    loginId: uuid('login_id').primaryKey(),
    platformUserId: text('platform_user_id').notNull(),
    /** `completing`: a request to the identity provider is running, until `busyUntil` at most. */
    state: text({ enum: ['verified', 'completing', 'completed'] }).notNull(),
    attempts: integer().notNull().default(0),
    busyUntil: moment('busy_until'),
    verifiedAt: moment('verified_at').notNull().default(sql`now()`),
  },
  (table) => [
    index('messenger_logins_by_account').on(table.platformUserId),
    index('messenger_logins_by_age').on(table.verifiedAt),
    platformPolicy(),
  ],
);
