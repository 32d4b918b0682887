import { platformNames } from '@botyard/contracts/platform-names';
import { createdAt, moment, platformPolicy } from '@botyard/shared/db/columns';
import { index, integer, sql, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { tenancy, userId } from './schema.ts';

/** Accounts on platforms that people have proven to be theirs. People belong to no tenant, so neither do these rows. */
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

/** Used signatures of the login widget, until they are too old to be used again. */
export const messengerProofs = tenancy.table(
  'messenger_proofs',
  { hash: text().primaryKey(), usedAt: moment('used_at').notNull().defaultNow() },
  (table) => [index('messenger_proofs_by_age').on(table.usedAt), platformPolicy()],
);

/** Sign-ins whose account the platform has confirmed. One that has only begun exists only in its browser's cookie. */
export const messengerLogins = tenancy.table(
  'messenger_logins',
  {
    loginId: uuid('login_id').primaryKey(),
    platformUserId: text('platform_user_id').notNull(),
    /** `completing`: a request to the identity provider is running, until `busyUntil` at the latest. */
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
