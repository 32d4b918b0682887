import { platformNames } from '@botyard/contracts/platform-names';
import { createdAt, moment, platformPolicy, tenantPolicy } from '@botyard/shared/db/columns';
import {
  type AnyPgColumn,
  boolean,
  check,
  foreignKey,
  index,
  jsonb,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { bots, tenancy, tenantId, tenantTable, updatedAt } from './schema.ts';

const botId = () => uuid('bot_id');
/** The bot belongs to the tenant; its rows are deleted with it. */
const ofBot = (name: string, table: { tenantId: AnyPgColumn; botId: AnyPgColumn }) =>
  foreignKey({
    name,
    columns: [table.tenantId, table.botId],
    foreignColumns: [bots.tenantId, bots.botId],
  }).onDelete('cascade');
const platform = () => text({ enum: platformNames }).notNull();
/** A UUIDv7 from the database, because some rows are written by statements without identifiers. */
const newId = sql`tenancy.new_id()`;

/**
 * Relationships other than memberships: of a person or a group with a group, a bot or, for groups, the tenant. Each
 * tenant's graph is separate: a walk never leaves the rows of one tenant. A person's direct relationships with the
 * tenant are its `memberships`, and `tenant —owner→ bot` is the bot's row: nothing is stored twice.
 */
export const edges = tenantTable(
  'edges',
  ['edgeId'],
  {
    edgeId: uuid('edge_id').notNull().default(newId),
    subjectType: text('subject_type', { enum: ['user', 'group', 'tenant'] }).notNull(),
    subjectId: text('subject_id').notNull(),
    /** The subject's relation; empty for a person. */
    subjectRelation: text('subject_relation', { enum: ['', 'member', 'admin'] })
      .notNull()
      .default(''),
    relation: text({ enum: ['member', 'admin', 'responder'] }).notNull(),
    objectType: text('object_type', { enum: ['tenant', 'bot', 'group'] }).notNull(),
    objectId: text('object_id').notNull(),
    /** The object if it is a bot: the edge is deleted with it. */
    botId: botId(),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('edges_once').on(
      table.tenantId,
      table.subjectType,
      table.subjectId,
      table.subjectRelation,
      table.relation,
      table.objectType,
      table.objectId,
    ),
    index('edges_by_subject').on(table.subjectType, table.subjectId, table.tenantId),
    index('edges_by_object').on(table.tenantId, table.objectType, table.objectId),
    index('edges_by_bot').on(table.botId),
    check('edges_no_memberships', sql`not (subject_type = 'user' and object_type = 'tenant')`),
    check('edges_of_bots', sql`(object_type = 'bot') = (bot_id is not null)`),
    ofBot('edges_of_bot', table),
  ],
);

/** A tenant's own policies, in Cedar, in addition to the built-in ones. */
export const policies = tenantTable(
  'policies',
  ['policyId'],
  {
    policyId: uuid('policy_id').notNull(),
    name: text().notNull(),
    description: text().notNull().default(''),
    text: text().notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    origin: text({ enum: ['api', 'migration'] })
      .notNull()
      .default('api'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [unique('policies_one_of_a_name').on(table.tenantId, table.name)],
);

/** People of a platform who are muted for all of a tenant's bots, or for one. */
export const mutes = tenantTable(
  'mutes',
  ['muteId'],
  {
    muteId: uuid('mute_id').notNull(),
    /** `null` means every bot of the tenant. */
    botId: botId(),
    platform: platform(),
    platformUserId: text('platform_user_id').notNull(),
    reason: text(),
    /** `null` means until it is revoked. */
    until: moment('until'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('mutes_once')
      .on(table.tenantId, table.platform, table.platformUserId, table.botId)
      .nullsNotDistinct(),
    index('mutes_by_bot').on(table.botId),
    ofBot('mutes_of_bot', table),
  ],
);

/**
 * Whether a bot serves every channel and every private chat, or only those with a grant. Without a row it serves all.
 */
export const chatRules = tenantTable(
  'chat_rules',
  ['botId'],
  {
    botId: botId().notNull(),
    channels: text({ enum: ['all', 'granted'] }).notNull(),
    privateChats: text('private_chats', { enum: ['all', 'granted'] }).notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [ofBot('chat_rules_of_bot', table)],
);

/** Groups and channels with a grant, for bots whose rules require one. */
export const channelGrants = tenantTable(
  'channel_grants',
  ['grantId'],
  {
    grantId: uuid('grant_id').notNull(),
    botId: botId().notNull(),
    platform: platform(),
    platformChatId: text('platform_chat_id').notNull(),
    title: text(),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('channel_grants_once').on(table.tenantId, table.botId, table.platform, table.platformChatId),
    ofBot('channel_grants_of_bot', table),
  ],
);

/** People with a grant for private chats, for bots whose rules require one. */
export const privateChatGrants = tenantTable(
  'private_chat_grants',
  ['grantId'],
  {
    grantId: uuid('grant_id').notNull(),
    botId: botId().notNull(),
    platform: platform(),
    platformUserId: text('platform_user_id').notNull(),
    name: text(),
    until: moment('until'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('private_chat_grants_once').on(table.tenantId, table.botId, table.platform, table.platformUserId),
    ofBot('private_chat_grants_of_bot', table),
  ],
);

/** Former identifiers of people, each with the one that they have now. An erasure by any of them reaches all. */
export const renamedPeople = tenantTable('renamed_people', ['platform', 'fromId'], {
  platform: platform(),
  fromId: text('from_id').notNull(),
  toId: text('to_id').notNull(),
  createdAt: createdAt(),
});

/** Runs of the migration from the identity provider's roles to edges and policies. At most one is not rolled back. */
export const policyMigrations = tenancy.table(
  'policy_migrations',
  {
    migrationId: uuid('migration_id').primaryKey(),
    state: text({ enum: ['executing', 'executed', 'rollingBack', 'rolledBack'] }).notNull(),
    startedBy: uuid('started_by'),
    startedAt: moment('started_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
    rolledBackAt: moment('rolled_back_at'),
    /** The reason why the last attempt on a tenant failed; it is retried. */
    lastError: text('last_error'),
  },
  () => [
    uniqueIndex('policy_migrations_one_at_a_time').on(sql`(true)`).where(sql`state <> 'rolledBack'`),
    platformPolicy(),
  ],
);

/** A run's changes, row by row, with the former content, which a rollback restores exactly. */
export const policyMigrationRows = tenancy.table(
  'policy_migration_rows',
  {
    migrationId: uuid('migration_id')
      .notNull()
      .references(() => policyMigrations.migrationId),
    tenantId: tenantId(),
    kind: text({ enum: ['edge', 'policy'] }).notNull(),
    /** The membership's person, or the policy. */
    rowId: uuid('row_id').notNull(),
    before: jsonb().$type<Record<string, unknown> | null>(),
    after: jsonb().$type<Record<string, unknown>>().notNull(),
    restoredAt: moment('restored_at'),
    /** The reason why the rollback skipped the row: it had been changed since. */
    keptReason: text('kept_reason'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.migrationId, table.kind, table.rowId] }),
    tenantPolicy(),
  ],
);
