import type { UserIdentity } from '@botyard/contracts/identity';
import { platformNames } from '@botyard/contracts/platform-names';
import { moment } from '@botyard/shared/db/columns';
import { index, jsonb, text, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** Installations that admins have begun and that are not allowed yet. Only hashes of their secrets are stored. */
export const installations = tenantTable(
  'installations',
  ['stateHash'],
  {
    stateHash: text('state_hash').notNull(),
    /** The hash of the secret in the browser's cookie. */
    browserHash: text('browser_hash').notNull(),
    botId: uuid('bot_id').notNull(),
    platform: text({ enum: platformNames }).notNull(),
    /** The admin who began it. */
    identity: jsonb().$type<UserIdentity>().notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('installations_by_state').on(table.stateHash),
    index('installations_by_age').on(table.expiresAt),
  ],
);
