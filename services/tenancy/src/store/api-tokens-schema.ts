import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { createdAt, moment } from '@botyard/shared/db/columns';
import { check, index, sql, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** API tokens of a tenant's programs. The token itself is not stored. */
export const apiTokens = tenantTable(
  'api_tokens',
  ['tokenId'],
  {
    tokenId: uuid('token_id').notNull(),
    /** SHA-256 in hex: 32 random bytes can't be guessed, so a slow hash would add nothing. */
    tokenHash: text('token_hash').notNull(),
    maskedToken: text('masked_token').notNull(),
    name: text().notNull(),
    role: text({ enum: ['admin', 'member'] }).notNull(),
    /** The person who created the token; `null` once that person is deleted. */
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at'),
    /** Rounded to the minute. */
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    unique('api_tokens_by_hash').on(table.tokenHash),
    index('api_tokens_by_creator').on(table.createdBy),
    // The platform's own tenant belongs to operators, and a token can't be an operator.
    check('api_tokens_none_of_platform', sql.raw(`tenant_id <> '${platformTenantId}'`)),
  ],
);
