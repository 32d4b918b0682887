import type { Provider } from '@botyard/contracts/providers';
import { busTables, createdAt, moment, tenantTables } from '@botyard/shared/db/columns';
import { deletedTenantsTable } from '@botyard/shared/db/deleted-tenants';
import { index, jsonb, pgSchema, text, uuid } from '@botyard/shared/db/drizzle';

/** Outcomes of validating a key with its provider; each has one sentence in `domain/validation.ts`. */
const validationOutcomes = [
  'accepted',
  'restricted',
  'without credit',
  'on hold',
  'refused',
  'limited',
  'timeout',
  'unreachable',
  'failing',
  'not understood',
  'moved',
  'unreadable',
] as const;

/** Exported for drizzle-kit, which drops a schema that it doesn't see. */
export const keysSchema = pgSchema('keys');
const tenantTable = tenantTables(keysSchema);
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(keysSchema);
export const deletedTenants = deletedTenantsTable(keysSchema);

export const keys = tenantTable(
  'keys',
  ['keyId'],
  {
    keyId: uuid('key_id').notNull().unique(),
    provider: text().$type<Provider>().notNull(),
    keyType: text('key_type').notNull(),
    scopeType: text('scope_type', { enum: ['tenant', 'bot', 'agent'] }).notNull(),
    /** The bot or agent; null when the scope is the tenant. */
    scopeId: uuid('scope_id'),
    /** The only host that the key may be sent to; part of the sealed key's binding. */
    host: text().notNull(),
    maskedKey: text('masked_key').notNull(),
    sealedKey: text('sealed_key').notNull(),
    status: text({ enum: ['active', 'invalid'] })
      .notNull()
      .default('active'),
    /** The origin of the invalid mark: a provider's answer doesn't override a person's. `null` while it is active. */
    invalidatedBy: text('invalidated_by', { enum: ['person', 'provider'] }),
    invalidatedAt: moment('invalidated_at'),
    /** The provider limits the key: until then others are preferred. */
    coolUntil: moment('cool_until'),
    /** The limited models, with the end of each limit; `null` for all models. */
    coolModels: jsonb('cool_models').$type<Record<string, string>>(),
    /** The provider's last answer about the key, and its time. */
    validationOutcome: text('validation_outcome', { enum: validationOutcomes }),
    validatedAt: moment('validated_at'),
    /** The time when the provider last accepted the key: earlier refusals are ignored. */
    confirmedAt: moment('confirmed_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('keys_by_scope').on(table.tenantId, table.provider, table.scopeType, table.scopeId, table.keyId),
  ],
);
