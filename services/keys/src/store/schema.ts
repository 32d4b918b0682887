import { busTables, createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { deletedTenantsTable } from '@botyard/shared/db/deleted-tenants';
import { index, pgSchema, primaryKey, text, uuid } from '@botyard/shared/db/drizzle';

export const keysSchema = pgSchema('keys');
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(keysSchema);
export const deletedTenants = deletedTenantsTable(keysSchema);

export const keys = keysSchema.table(
  'keys',
  {
    tenantId: uuid('tenant_id').notNull(),
    keyId: uuid('key_id').notNull().unique(),
    provider: text({ enum: ['openai', 'anthropic', 'private-llm'] }).notNull(),
    keyType: text('key_type').notNull(),
    scopeType: text('scope_type', { enum: ['tenant', 'bot', 'agent'] }).notNull(),
    /** The bot or agent; null when the scope is the tenant. */
    scopeId: uuid('scope_id'),
    /** Where the key may be sent to; it is part of what the sealed key is bound to. */
    host: text().notNull(),
    maskedKey: text('masked_key').notNull(),
    sealedKey: text('sealed_key').notNull(),
    status: text({ enum: ['active', 'invalid'] })
      .notNull()
      .default('active'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.keyId] }),
    index('keys_by_scope').on(table.tenantId, table.provider, table.scopeType, table.scopeId, table.keyId),
    tenantPolicy(),
  ],
);
