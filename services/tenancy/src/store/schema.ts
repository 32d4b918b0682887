import { busTables, createdAt, moment, platformPolicy, tenantPolicy } from '@botyard/shared/db/columns';
import {
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';

export const tenancy = pgSchema('tenancy');
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(tenancy);

const updatedAt = () => moment('updated_at').notNull().defaultNow();

/** People, known by the identity provider's id. They belong to no tenant. */
export const users = tenancy.table(
  'users',
  {
    userId: uuid('user_id').primaryKey(),
    idpUserId: text('idp_user_id').notNull().unique(),
    email: text(),
    name: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: moment('deleted_at'),
  },
  () => [platformPolicy()],
);

export const tenants = tenancy.table(
  'tenants',
  {
    tenantId: uuid('tenant_id').primaryKey(),
    name: text().notNull(),
    /** The identity provider's organization that this tenant stands for. */
    idpOrgId: text('idp_org_id').unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  () => [tenantPolicy()],
);

export const memberships = tenancy.table(
  'memberships',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.userId),
    role: text({ enum: ['admin', 'member'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.userId] }),
    index('memberships_by_user').on(table.userId),
    tenantPolicy(),
  ],
);

/** Which tenant a session chose with POST /api/tenant/select. */
export const sessionTenants = tenancy.table(
  'session_tenants',
  {
    sessionId: text('session_id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.userId),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    selectedAt: moment('selected_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.userId] }), tenantPolicy()],
);

export const bots = tenancy.table(
  'bots',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    botId: uuid('bot_id').notNull().unique(),
    name: text().notNull(),
    agentIds: uuid('agent_ids').array().notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    joinWindowMs: integer('join_window_ms').notNull(),
    revision: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.botId] }), tenantPolicy()],
);

export const integrations = tenancy.table(
  'integrations',
  {
    tenantId: uuid('tenant_id').notNull(),
    integrationId: uuid('integration_id').notNull().unique(),
    botId: uuid('bot_id')
      .notNull()
      .references(() => bots.botId, { onDelete: 'cascade' }),
    integrationType: text('integration_type', { enum: ['messenger'] }).notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    maskedCredentials: jsonb('masked_credentials').$type<Record<string, string>>().notNull(),
    maskedSettings: jsonb('masked_settings')
      .$type<{ messenger?: { webhookSecretToken?: string } }>()
      .notNull(),
    sealedSecrets: text('sealed_secrets').notNull(),
    /** Keyed hash of the bot token: one token serves one integration, whoever owns it. */
    tokenHash: text('token_hash').notNull(),
    revision: integer().notNull().default(1),
    registrationState: text('registration_state', { enum: ['pending', 'registered', 'failed'] })
      .notNull()
      .default('pending'),
    registrationError: text('registration_error'),
    pendingUpdates: integer('pending_updates'),
    registrationCheckedAt: moment('registration_checked_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.integrationId] }),
    unique('integrations_one_of_a_type').on(table.botId, table.integrationType),
    uniqueIndex('integrations_one_per_token').on(table.tokenHash),
    tenantPolicy(),
  ],
);

/** The key of the token hashes: made once, sealed by SECRETS_KEYS, so that rotating those doesn't change the hashes. */
export const lookupKeys = tenancy.table(
  'lookup_keys',
  { purpose: text().primaryKey(), sealedKey: text('sealed_key').notNull(), createdAt: createdAt() },
  () => [platformPolicy()],
);
