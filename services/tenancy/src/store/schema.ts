import type { IntegrationSettings } from '@botyard/contracts/http/bot-integrations';
import type { BotWords } from '@botyard/contracts/http/bot-words';
import { platformNames } from '@botyard/contracts/platform-names';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import {
  busTables,
  createdAt,
  moment,
  platformPolicy,
  tenantPolicy,
  tenantTables,
} from '@botyard/shared/db/columns';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import type { z } from 'zod';

export const tenancy = pgSchema('tenancy');
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(tenancy);

/** Milliseconds since 1970, by the identity provider's clock. */
const idpMoment = (name: string) => bigint(name, { mode: 'number' });
export const updatedAt = () => moment('updated_at').notNull().defaultNow();
/** Rows of a tenant are deleted with it. */
export const tenantId = () =>
  uuid('tenant_id')
    .notNull()
    .references(() => tenants.tenantId, { onDelete: 'cascade' });
/** Creates the tables of tenants. */
export const tenantTable = tenantTables(tenancy, tenantId);
export const userId = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.userId);

/** People, by the identity provider's id. They belong to no tenant. */
export const users = tenancy.table(
  'users',
  {
    userId: uuid('user_id').primaryKey(),
    idpUserId: text('idp_user_id').notNull().unique(),
    email: text(),
    name: text(),
    /**
     * The times when the identity provider changed the data, and when it reported that; both `null` for data from
     * tokens.
     */
    idpUpdatedAt: idpMoment('idp_updated_at'),
    idpHappenedAt: idpMoment('idp_happened_at'),
    /** An operator's limit on the tenants that the person may create; `null` means that the setting applies. */
    maxTenants: bigint('max_tenants', { mode: 'number' }),
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
    /** The identity provider's organization that this tenant represents. */
    idpOrgId: text('idp_org_id').unique(),
    /** The owner of the platform's bots. It isn't a tenant of the API, and has no people and therefore no admin. */
    isPlatform: boolean('is_platform').notNull().default(false),
    /** The person or organization that created it; unknown for tenants of older versions. */
    createdBy: uuid('created_by'),
    /** An operator's limits for the tenant; `null` means that the setting applies. */
    maxBots: bigint('max_bots', { mode: 'number' }),
    maxEdges: bigint('max_edges', { mode: 'number' }),
    maxGroups: bigint('max_groups', { mode: 'number' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('tenants_by_creator').on(table.createdBy),
    check('tenants_one_platform', sql.raw(`is_platform = (tenant_id = '${platformTenantId}')`)),
    check('tenants_platform_unmapped', sql`not is_platform or idp_org_id is null`),
    tenantPolicy(),
  ],
);

export const memberships = tenantTable(
  'memberships',
  ['userId'],
  {
    userId: userId(),
    /** Identifier of the person's relationship with the tenant. */
    edgeId: uuid('edge_id').notNull().default(sql`tenancy.new_id()`).unique(),
    role: text({ enum: ['admin', 'member'] }).notNull(),
    /** The origin of the membership. The identity provider neither changes nor removes those from the API. */
    source: text({ enum: ['api', 'idp'] })
      .notNull()
      .default('api'),
    /** The time since when it is kept only because the tenant would have no admin. */
    keptSince: moment('kept_since'),
    createdAt: createdAt(),
    /**
     * The person's first visit after they were added. Until then the tenant's admins see only their identifiers, and it
     * is not their default tenant. Members from the identity provider have already agreed there.
     */
    visitedAt: moment('visited_at'),
  },
  (table) => [
    index('memberships_by_user').on(table.userId),
    index('memberships_kept').on(table.keptSince).where(sql`kept_since is not null`),
    check('memberships_none_of_platform', sql.raw(`tenant_id <> '${platformTenantId}'`)),
  ],
);

/**
 * The identity provider's organizations, independent of the order of its events. A deleted one stays as a tombstone.
 */
export const idpOrganizations = tenancy.table(
  'idp_organizations',
  {
    idpOrgId: text('idp_org_id').primaryKey(),
    /** `null` if the organization is only known to be deleted. */
    name: text(),
    createdBy: text('created_by'),
    updatedAt: idpMoment('idp_updated_at'),
    happenedAt: idpMoment('idp_happened_at'),
    deletedAt: idpMoment('idp_deleted_at'),
    /** The tenant that represents it, or did while both existed. A second one is never created. */
    madeTenantId: uuid('made_tenant_id'),
  },
  (table) => [
    index('idp_organizations_by_tenant').on(table.madeTenantId),
    index('idp_organizations_by_creator').on(table.createdBy),
    platformPolicy(),
  ],
);

/** The identity provider's memberships. A person who returns has another record. */
export const idpMemberships = tenancy.table(
  'idp_memberships',
  {
    recordId: text('record_id').primaryKey(),
    idpUserId: text('idp_user_id').notNull(),
    idpOrgId: text('idp_org_id').notNull(),
    role: text({ enum: ['admin', 'member'] }).notNull(),
    /** Whether it ever had the admin role. */
    wasAdmin: boolean('was_admin').notNull(),
    updatedAt: idpMoment('idp_updated_at').notNull(),
    happenedAt: idpMoment('idp_happened_at').notNull(),
    /** The time when the provider last reported that the membership exists. */
    seenAt: idpMoment('idp_seen_at').notNull(),
    /** The time when the provider's lists last lacked it. Unlike a deletion, this is undone by newer events. */
    missingAt: idpMoment('idp_missing_at'),
    deletedAt: idpMoment('idp_deleted_at'),
  },
  (table) => [
    index('idp_memberships_by_user').on(table.idpUserId),
    index('idp_memberships_by_organization').on(table.idpOrgId),
    platformPolicy(),
  ],
);

/**
 * The last role granted by the identity provider. If the membership has another role, it was set through the API, and
 * is kept.
 */
export const idpGrants = tenantTable('idp_grants', ['userId'], {
  userId: userId(),
  role: text({ enum: ['admin', 'member'] }).notNull(),
});

/** Time of the last comparison with the identity provider, by any instance. */
export const idpReconciliations = tenancy.table(
  'idp_reconciliations',
  { name: text().primaryKey(), finishedAt: moment('finished_at').notNull() },
  () => [platformPolicy()],
);

/** The tenant that a session selected with POST /api/tenant/select. */
export const sessionTenants = tenancy.table(
  'session_tenants',
  {
    sessionId: text('session_id').notNull(),
    userId: userId(),
    tenantId: tenantId(),
    selectedAt: moment('selected_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.userId] }), tenantPolicy()],
);

export const bots = tenantTable('bots', ['botId'], {
  botId: uuid('bot_id').notNull().unique(),
  name: text().notNull(),
  agentIds: uuid('agent_ids').array().notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  joinWindowMs: integer('join_window_ms').notNull(),
  answerDeadlineSeconds: integer('answer_deadline_seconds').notNull().default(60),
  /** 0 disables the notice. */
  delayNoticeSeconds: integer('delay_notice_seconds').notNull().default(20),
  answerWithinMinutes: integer('answer_within_minutes').notNull().default(60),
  handbackAfterMinutes: integer('handback_after_minutes').notNull().default(60),
  asksForRating: boolean('asks_for_rating').notNull().default(false),
  defaultLanguage: text('default_language').notNull().default('en'),
  words: jsonb().$type<BotWords>().notNull().default({}),
  revision: integer().notNull().default(1),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const integrations = tenantTable(
  'integrations',
  ['integrationId'],
  {
    integrationId: uuid('integration_id').notNull().unique(),
    botId: uuid('bot_id')
      .notNull()
      .references(() => bots.botId, { onDelete: 'cascade' }),
    integrationType: text('integration_type', { enum: platformNames }).notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    maskedCredentials: jsonb('masked_credentials').$type<Record<string, string>>().notNull(),
    maskedSettings: jsonb('masked_settings').$type<z.output<typeof IntegrationSettings>>().notNull(),
    sealedSecrets: text('sealed_secrets').notNull(),
    /** Written by processes of version 0.1.0 only, in place of the account. */
    tokenHash: text('token_hash'),
    /** The account at the platform, which has one integration, in any tenant. `null` while it isn't known. */
    accountId: text('account_id'),
    /** `removed`: the integration has no account, and is neither received from nor sent to. */
    accountState: text('account_state', { enum: ['active', 'restricted', 'removed'] })
      .notNull()
      .default('active'),
    /** The platform's or our reason for the state. */
    accountReason: text('account_reason'),
    /** The time of the newest news of the account, or of its credentials. Older news change nothing. */
    accountChangedAt: moment('account_changed_at'),
    /**
     * The address that people write to; only for email integrations. Also `null` after a tenant that has proven the
     * domain has taken the address.
     */
    address: text(),
    /** The domain of the address, if the tenant has proven it. */
    provenDomain: text('proven_domain'),
    revision: integer().notNull().default(1),
    registrationState: text('registration_state', { enum: ['pending', 'registered', 'failed'] })
      .notNull()
      .default('pending'),
    registrationError: text('registration_error'),
    pendingUpdates: integer('pending_updates'),
    registrationCheckedAt: moment('registration_checked_at'),
    /** `null` if the platform delivers to a webhook. */
    registrationMode: text('registration_mode', { enum: ['polling'] }),
    /** The account's first verified delivery; only where the tenant sets the webhook up. */
    firstDeliveryAt: moment('first_delivery_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('integrations_one_of_a_type').on(table.botId, table.integrationType),
    uniqueIndex('integrations_one_per_token').on(table.tokenHash),
    uniqueIndex('integrations_one_per_account').on(table.integrationType, table.accountId),
    index('integrations_by_address').on(table.address).where(sql`address is not null`),
  ],
);

/**
 * The key of the token hashes. It is created once and sealed by SECRETS_KEYS, so that rotating those doesn't change the
 * hashes.
 */
export const lookupKeys = tenancy.table(
  'lookup_keys',
  { purpose: text().primaryKey(), sealedKey: text('sealed_key').notNull(), createdAt: createdAt() },
  () => [platformPolicy()],
);
